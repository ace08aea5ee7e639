//! Logs made by hand, of two threads (1 and 2) that main (0) has created, each event on a line of its own: what there are candidates of,
//! and what there are none of.

use ordain_ir::program::{Block, BlockId, BuildHash, Builtin, Callee, FuncId, Function, Inst, LocId, Location};
use ordain_ir::program::{Operand, Ordering, Pc, Program, Reg};
use ordain_model::names::ThreadName;
use ordain_predict::{Filter, Kind};
use ordain_vm::{Action, Decides, Executed, ThreadId};
use std::rc::Rc;

const X: u64 = 0x1000;
const Y: u64 = 0x1008;
const L: u64 = 0x2000;
const M: u64 = 0x2008;
const N: u64 = 0x2010;

const OWN_CODE: FuncId = FuncId(0);
const MODEL: FuncId = FuncId(1);
const DECISIVE: Pc = Pc(0);
const INDECISIVE: Pc = Pc(2);
/// Nothing is left to do after this.
const LAST: Pc = Pc(3);

/// A function of the user's and a model. Both try to lock a mutex three times, and go by the result the first time.
fn program() -> Program {
    let attempt = || Inst::Call {
        callee: Callee::Builtin(Builtin::MutexTryLock),
        args: [Operand::Imm(L)].into(),
        dsts: [Reg(0)].into(),
    };
    let branch = Inst::CondBr { cond: Operand::Reg(Reg(0)), then: BlockId(1), other: BlockId(1) };
    let code = vec![attempt(), branch, attempt(), attempt(), Inst::Ret { values: [].into() }];
    let function = |model| Function {
        name: "function".to_owned(),
        address: 1,
        params: Vec::new(),
        registers: vec![32],
        locations: vec![LocId(0); code.len()],
        code: code.clone(),
        blocks: vec![Block { start: Pc(0), end: Pc(2) }, Block { start: Pc(2), end: Pc(5) }],
        model,
        location: LocId(0),
    };
    Program {
        build: BuildHash([0; 32]),
        functions: vec![function(false), function(true)],
        globals: Vec::new(),
        beyond: Vec::new(),
        start: OWN_CODE,
        files: Vec::new(),
        locations: Vec::new(),
        names: Vec::new(),
    }
}

fn read(address: u64) -> Action {
    Action::Load { address, size: 4, value: 0, order: None }
}

fn write(address: u64) -> Action {
    Action::Store { address, size: 4, value: 0, order: None }
}

fn update(address: u64) -> Action {
    Action::Rmw { address, size: 4, old: 0, new: 1, order: Ordering::SeqCst }
}

fn lock(address: u64) -> Action {
    Action::Lock { address }
}

fn unlock(address: u64) -> Action {
    Action::Unlock { address }
}

fn create(child: u32) -> Action {
    Action::Create { child: ThreadId(child), name: ThreadName::main().child(child) }
}

fn join(target: u32) -> Action {
    Action::Join { target: ThreadId(target) }
}

fn event(thread: u32, line: u32, action: Action) -> Executed {
    let location = Location { file: 0, line, column: 1 };
    Executed {
        thread: ThreadId(thread),
        function: OWN_CODE,
        pc: INDECISIVE,
        location,
        callers: Rc::default(),
        action,
        points: 0,
    }
}

/// The lines of the candidates of a kind. Events are on lines from 1 on; before them, main creates the threads.
fn candidates(kind: Kind, log: Vec<(u32, Action)>) -> Vec<Vec<u32>> {
    let numbered = log.into_iter().zip(1..).map(|((thread, action), line)| event(thread, line, action));
    candidates_of(kind, numbered.collect())
}

fn candidates_of(kind: Kind, log: Vec<Executed>) -> Vec<Vec<u32>> {
    let program = program();
    let mut filter = Filter::new(&program);
    filter.take(1, &event(0, 0, create(1)));
    filter.take(2, &event(0, 0, create(2)));
    log.iter().zip(3..).for_each(|(executed, at)| filter.take(at, executed));
    assert_eq!(filter.dropped(), 0);
    let all = filter.finish().into_iter().filter(|c| c.kind == kind);
    all.map(|c| c.places.iter().map(|place| place.line).collect()).collect()
}

const NONE: [Vec<u32>; 0] = [];

#[test]
fn accesses_race_unless_a_mutex_or_a_join_is_between() {
    let race = |log| candidates(Kind::Race, log);
    assert_eq!(race(vec![(1, write(X)), (2, read(X))]), [[1, 2]]);
    assert_eq!(race(vec![(1, read(X)), (2, read(X)), (1, write(X)), (1, write(X))]), [[2, 3], [2, 4]]);
    assert_eq!(race(vec![(1, update(X)), (2, update(X))]), NONE);
    assert_eq!(race(vec![(1, update(X)), (2, read(X))]), [[1, 2]]);
    assert_eq!(race(vec![(1, write(X)), (2, write(X + 4)), (2, write(Y))]), NONE);
    // Across two words.
    assert_eq!(race(vec![(1, write(X + 6)), (2, write(Y))]), [[1, 2]]);
    let section = |thread, inside: Action, mutex| [(thread, lock(mutex)), (thread, inside), (thread, unlock(mutex))];
    assert_eq!(race([section(1, write(X), L), section(2, write(X), L)].concat()), NONE);
    assert_eq!(race([section(1, write(X), L), section(2, write(X), M)].concat()), [[2, 5]]);
    assert_eq!(race([section(1, write(Y), L), section(2, write(Y), L)].concat()), NONE);
    assert_eq!(race(vec![(1, write(X)), (0, join(1)), (0, write(X))]), NONE);
    assert_eq!(race(vec![(1, write(X)), (0, write(X)), (0, join(1))]), [[1, 2]]);
    assert_eq!(race(vec![(2, write(X)), (0, join(1)), (0, write(X))]), [[1, 3]]);
    assert_eq!(race(vec![(0, write(X)), (0, create(3)), (3, write(X))]), NONE);
    assert_eq!(race(vec![(0, create(3)), (0, write(X)), (3, write(X))]), [[2, 3]]);
}

#[test]
fn the_same_line_with_other_mutexes_is_another_access() {
    let at = |thread, line, action| event(thread, line, action);
    let writes = |n: usize| vec![at(1, 1, write(X)); n];
    let mut log = vec![at(1, 9, lock(L))];
    log.extend(writes(3));
    log.push(at(1, 9, unlock(L)));
    log.extend(writes(3));
    log.extend([at(2, 8, lock(L)), at(2, 2, write(X)), at(2, 8, unlock(L))]);
    assert_eq!(candidates_of(Kind::Race, log), [[1, 2]]);
}

#[test]
fn a_mutex_counts_if_it_is_held_whatever_the_order() {
    let attempt = |pc, function| Executed { pc, function, ..event(1, 1, Action::TryLock { address: L, taken: true }) };
    let rest = [event(1, 2, write(X)), event(1, 3, unlock(L)), event(2, 4, lock(L)), event(2, 5, write(X))];
    let races = |first: Executed| candidates_of(Kind::Race, [vec![first], rest.to_vec()].concat());
    assert_eq!(races(attempt(DECISIVE, OWN_CODE)), NONE);
    assert_eq!(races(attempt(INDECISIVE, OWN_CODE)), [[2, 5]]);
    assert_eq!(races(attempt(DECISIVE, MODEL)), [[2, 5]]);
}

#[test]
fn uses_may_come_after_the_end_unless_they_are_joined() {
    let object = (0, Action::Allocate { base: X, size: 64, from: None });
    let lifetime = |log: Vec<_>| candidates(Kind::Lifetime, [vec![object.clone()], log].concat());
    let end = || Action::Free { address: X };
    assert_eq!(lifetime(vec![(1, read(X + 8)), (2, end())]), [[2, 3]]);
    assert_eq!(lifetime(vec![(1, lock(X)), (2, end())]), [[2, 3]]);
    assert_eq!(lifetime(vec![(1, read(X)), (0, Action::Allocate { base: L, size: 8, from: Some(X) })]), [[2, 3]]);
    // Under a common mutex too.
    let sections = vec![(1, lock(L)), (1, read(X)), (1, unlock(L)), (2, lock(L)), (2, end()), (2, unlock(L))];
    assert_eq!(lifetime(sections), [[3, 6]]);
    assert_eq!(lifetime(vec![(1, read(X)), (1, end())]), NONE);
    assert_eq!(lifetime(vec![(1, read(X)), (0, join(1)), (0, end())]), NONE);
    assert_eq!(lifetime(vec![(1, read(X + 64)), (2, end())]), NONE);
}

#[test]
fn mutexes_are_locked_in_circles() {
    let nested = |thread, mutexes: &[u64]| {
        let locks = mutexes.iter().map(|&m| (thread, lock(m)));
        locks.chain(mutexes.iter().rev().map(|&m| (thread, unlock(m)))).collect::<Vec<_>>()
    };
    let circles = |log: &[Vec<(u32, Action)>]| candidates(Kind::Locks, log.concat());
    assert_eq!(circles(&[nested(1, &[L, M]), nested(2, &[M, L])]), [[2, 6]]);
    assert_eq!(circles(&[nested(1, &[L, M]), nested(2, &[L, M])]), NONE);
    assert_eq!(circles(&[nested(1, &[L, M]), nested(1, &[M, L])]), NONE);
    assert_eq!(circles(&[nested(1, &[L, M]), vec![(0, join(1))], nested(0, &[M, L])]), NONE);
    // Another mutex keeps them apart.
    assert_eq!(circles(&[nested(1, &[N, L, M]), nested(2, &[N, M, L])]), NONE);
    // Not if only one of them has it.
    assert_eq!(circles(&[nested(1, &[N, L, M]), nested(2, &[M, L])]), [[3, 8]]);
    assert_eq!(circles(&[nested(1, &[L, M]), nested(2, &[M, N]), nested(0, &[N, L])]), [[2, 6, 10]]);
    // A mutex that is never given back.
    assert_eq!(circles(&[nested(1, &[L]), vec![(2, lock(L))]]), [[3, 1]]);
}

#[test]
fn circles_are_seen_in_the_segment_that_has_them() {
    let nested = |thread, first: u64, second: u64| {
        vec![(thread, lock(first)), (thread, lock(second)), (thread, unlock(second)), (thread, unlock(first))]
    };
    // The same before the other thread is created, while it runs, and after its join.
    let main = || nested(0, L, M);
    let log = [main(), vec![(0, create(3))], main(), nested(3, M, L), vec![(0, join(3))], main()].concat();
    let lines = [1, 2, 3, 4, 10, 1, 2, 3, 4, 5, 6, 7, 8, 11, 1, 2, 3, 4];
    let log = log.into_iter().zip(lines).map(|((thread, action), line)| event(thread, line, action));
    assert_eq!(candidates_of(Kind::Locks, log.collect()), [[2, 6]]);
}

#[test]
fn a_thread_that_may_end_early_may_keep_its_mutexes() {
    let log = |pc| {
        let early = Executed { pc, ..event(1, 2, read(X)) };
        vec![event(1, 1, lock(L)), early, event(1, 3, unlock(L)), event(2, 4, lock(L)), event(2, 5, unlock(L))]
    };
    assert_eq!(candidates_of(Kind::Locks, log(INDECISIVE)), NONE);
    assert_eq!(candidates_of(Kind::Locks, log(LAST)), [[1, 4]]);
}

#[test]
fn somebody_comes_between_unless_a_section_goes_through() {
    let split = |log| candidates(Kind::Atomicity, log);
    assert_eq!(split(vec![(1, read(X)), (1, write(X)), (2, write(X))]), [[1, 3, 2]]);
    assert_eq!(split(vec![(2, write(X)), (1, read(X)), (1, write(X))]), [[2, 1, 3]]);
    // Only a read that comes between two writes matters, whatever else the thread reads meanwhile.
    assert_eq!(split(vec![(1, read(X)), (1, write(X)), (2, read(X))]), NONE);
    assert_eq!(split(vec![(1, write(X)), (1, read(X)), (1, write(X)), (2, read(X))]), [[1, 4, 3]]);
    assert_eq!(split(vec![(1, read(X)), (1, write(X)), (2, write(Y)), (2, write(X + 4))]), NONE);
    assert_eq!(split(vec![(1, read(X)), (1, write(X)), (0, join(1)), (0, write(X))]), NONE);
    let section = |thread, inside: &[Action]| {
        let inside = inside.iter().map(|action| (thread, action.clone()));
        [(thread, lock(L))].into_iter().chain(inside).chain([(thread, unlock(L))]).collect::<Vec<_>>()
    };
    let other = section(2, &[write(X)]);
    assert_eq!(split([section(1, &[read(X), write(X)]), other.clone()].concat()), NONE);
    assert_eq!(split([section(1, &[read(X)]), section(1, &[write(X)]), other].concat()), [[2, 8, 5]]);
    // One who does not hold the mutex is not kept out.
    assert_eq!(split([section(1, &[read(X), write(X)]), vec![(2, write(X))]].concat()), [[2, 5, 3]]);
}

#[test]
fn threads_wait_for_more_than_mutexes() {
    let wait = |log| candidates(Kind::Wait, log);
    assert_eq!(wait(vec![(1, update(X)), (1, Action::Enqueue { condition: Y }), (0, join(1))]), [[1], [2], [3]]);
    // This time, it was woken without a signal.
    assert_eq!(wait(vec![(1, Action::Chosen { choice: Decides::Spurious, outcome: 1 })]), [[1]]);
    assert_eq!(wait(vec![(1, lock(L)), (1, write(X)), (1, read(X)), (1, unlock(L))]), NONE);
}

#[test]
fn what_is_forgotten_is_counted_if_others_can_miss_it() {
    let program = program();
    let mut filter = Filter::new(&program);
    for line in 1..=20 {
        filter.take(line.into(), &event(0, line, write(X)));
    }
    assert_eq!(filter.dropped(), 0);
    filter.take(21, &event(1, 21, read(X)));
    assert!(filter.dropped() > 0);
}
