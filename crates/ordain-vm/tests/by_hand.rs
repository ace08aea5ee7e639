//! The machine on programs built by hand.

mod hand_built;

use hand_built::*;
use ordain_ir::facts::Facts;
use ordain_ir::program::*;
use ordain_model::failure::FailureKind;
use ordain_model::witness::MemoryModel;
use ordain_vm::schedulers::*;
use ordain_vm::{Config, End, Machine, RaceMode, Status, ThreadId};
use std::collections::BTreeSet;

type Built = (Program, Facts);

const LIMIT: u64 = 10_000;

fn run_random<'p>(built: &'p Built, memory: MemoryModel, seed: u64) -> Machine<'p> {
    let config = Config { memory, races: RaceMode::Full, ..Config::default() };
    let mut machine = Machine::alone(&built.0, &built.1, config);
    run(&mut machine, &mut StoreBuffers::new(seed), LIMIT);
    machine
}

fn failure_kind(machine: &Machine<'_>) -> Option<FailureKind> {
    match machine.end() {
        Some(End::Failed(failure)) => Some(failure.kind),
        _ => None,
    }
}

/// Two threads, each adding one to global 0, under a mutex (global 1) or not.
fn counters(locked: bool) -> Built {
    let mut b = Builder::new(16);
    let add = Inst::Bin { op: ordain_expr::op::BinOp::Add, width: 32, dst: Reg(1), a: reg(1), b: imm(1) };
    let mut body = vec![load(1, global(0)), add, store(reg(1), global(0))];
    if locked {
        body.insert(0, call(Builtin::MutexLock, &[global(1)], &[]));
        body.push(call(Builtin::MutexUnlock, &[global(1)], &[]));
    }
    body.push(ret());
    b.function(10, 2, &[body]);
    let main = b.function(100, 2, &[main_with(&[0, 0], vec![load(1, global(0)), call(Builtin::Exit, &[reg(1)], &[])])]);
    b.start(main)
}

fn exit_statuses(built: &Built, memory: MemoryModel) -> BTreeSet<i32> {
    let status = |seed| match run_random(built, memory, seed).end() {
        Some(End::Exit(status)) => *status,
        end => panic!("seed {seed}: {end:?}"),
    };
    (0..300).map(status).collect()
}

#[test]
fn unlocked_increments_get_lost_and_race() {
    let built = counters(false);
    assert_eq!(exit_statuses(&built, MemoryModel::Sc), BTreeSet::from([1, 2]));
    let races: BTreeSet<_> = (0..100)
        .flat_map(|seed| run_random(&built, MemoryModel::Sc, seed).races().to_vec())
        .map(|race| (race.place.line, race.others[0].1.line))
        .collect();
    assert_eq!(races, BTreeSet::from([(10, 12), (12, 10), (12, 12)]));
}

#[test]
fn locked_increments_do_neither() {
    let built = counters(true);
    for memory in [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso] {
        assert_eq!(exit_statuses(&built, memory), BTreeSet::from([2]));
    }
    assert!((0..100).all(|seed| run_random(&built, MemoryModel::Sc, seed).races().is_empty()));
}

#[test]
fn two_locks_in_opposite_orders_deadlock() {
    let mut b = Builder::new(16);
    for (first, second) in [(0, 1), (1, 0)] {
        let body = vec![
            call(Builtin::MutexLock, &[global(first)], &[]),
            call(Builtin::MutexLock, &[global(second)], &[]),
            call(Builtin::MutexUnlock, &[global(second)], &[]),
            call(Builtin::MutexUnlock, &[global(first)], &[]),
            ret(),
        ];
        b.function(10 + 10 * first as u32, 1, &[body]);
    }
    let main = b.function(100, 2, &[main_with(&[0, 1], vec![])]);
    let built = b.start(main);
    let failures: Vec<_> = (0..100)
        .filter_map(|seed| match run_random(&built, MemoryModel::Sc, seed).end() {
            Some(End::Failed(failure)) => Some(failure.clone()),
            _ => None,
        })
        .collect();
    assert!(!failures.is_empty() && failures.len() < 100);
    for failure in failures {
        assert_eq!(failure.kind, FailureKind::Deadlock);
        // Each thread waits at its second lock; main may have come to its join.
        let mut lines = vec![failure.place.line];
        lines.extend(failure.others.iter().map(|(_, place)| place.line));
        assert_eq!(&lines[lines.len() - 2..], [11, 21], "{failure:?}");
    }
}

/// `while (g0 == 0) {}` in a thread, while main does `after`.
fn spinner(after: Vec<Inst>) -> Built {
    let mut b = Builder::new(16);
    let cmp = Inst::Cmp { pred: ordain_expr::op::Pred::Eq, width: 32, dst: Reg(1), a: reg(1), b: imm(0) };
    let branch = Inst::CondBr { cond: reg(1), then: BlockId(1), other: BlockId(2) };
    b.function(10, 2, &[vec![Inst::Br { to: BlockId(1) }], vec![load(1, global(0)), cmp, branch], vec![ret()]]);
    let mut code = vec![call(Builtin::ThreadCreate, &[global(8), imm(0), Builder::function_address(0), imm(0)], &[])];
    code.extend(after);
    code.extend([load(0, global(8)), load(0, global(8))]);
    code.push(Inst::Load { dst: Reg(0), addr: global(8), size: 8, order: None, point: true });
    code.push(call(Builtin::ThreadJoin, &[reg(0), imm(0)], &[]));
    code.extend([call(Builtin::Exit, &[imm(0)], &[]), Inst::Unreachable]);
    let main = b.function(100, 2, &[code]);
    b.start(main)
}

#[test]
fn a_spin_loop_that_nobody_ends_is_a_hang() {
    let built = spinner(vec![]);
    for memory in [MemoryModel::Sc, MemoryModel::Tso] {
        assert_eq!(failure_kind(&run_random(&built, memory, 1)), Some(FailureKind::Hang));
    }
}

#[test]
fn a_spin_loop_that_somebody_ends_is_not() {
    let built = spinner(vec![store(imm(1), global(0))]);
    for memory in [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso] {
        for seed in 0..50 {
            assert_eq!(run_random(&built, memory, seed).end(), Some(&End::Exit(0)));
        }
    }
}

#[test]
fn a_spinning_thread_awaits_until_memory_changes() {
    let built = spinner(vec![store(imm(1), global(0))]);
    let mut machine = Machine::alone(&built.0, &built.1, Config::default());
    machine.step(ThreadId(0));
    assert_eq!(machine.status(ThreadId(1)), Status::Ready);
    machine.step(ThreadId(1));
    assert_eq!(machine.status(ThreadId(1)), Status::Awaiting);
    let before = machine.fingerprint();
    machine.step(ThreadId(1));
    assert_eq!(machine.fingerprint(), before, "an awaiting thread goes round in circles");
    machine.step(ThreadId(0));
    assert_eq!(machine.status(ThreadId(1)), Status::Ready);
    machine.step(ThreadId(1));
    assert_eq!(machine.status(ThreadId(1)), Status::Ended);
}

/// Two threads: store to one global, load of the other; main exits with both results.
fn store_buffering() -> Built {
    let mut b = Builder::new(16);
    for (mine, other) in [(0, 1), (1, 0)] {
        let body = vec![store(imm(1), global(mine)), load(1, global(other)), store(reg(1), global(2 + mine)), ret()];
        b.function(10, 2, &[body]);
    }
    let main = b.function(100, 3, &[main_with(&[0, 1], results(2, 3))]);
    b.start(main)
}

/// `exit(10 * g[a] + g[b])`.
fn results(a: u64, b: u64) -> Vec<Inst> {
    use ordain_expr::op::BinOp;
    vec![
        load(1, global(a)),
        load(2, global(b)),
        Inst::Bin { op: BinOp::Mul, width: 32, dst: Reg(1), a: reg(1), b: imm(10) },
        Inst::Bin { op: BinOp::Add, width: 32, dst: Reg(1), a: reg(1), b: reg(2) },
        call(Builtin::Exit, &[reg(1)], &[]),
    ]
}

#[test]
fn store_buffering_shows_under_tso_only() {
    let built = store_buffering();
    assert_eq!(exit_statuses(&built, MemoryModel::Sc), BTreeSet::from([1, 10, 11]));
    assert_eq!(exit_statuses(&built, MemoryModel::Tso), BTreeSet::from([0, 1, 10, 11]));
}

/// Data and flag written by one thread, read by another.
fn message_passing(order: Option<Ordering>) -> Built {
    let mut b = Builder::new(16);
    let flag = Inst::Store { value: imm(1), addr: global(1), size: 4, order, point: true };
    b.function(10, 2, &[vec![store(imm(1), global(0)), flag, ret()]]);
    let reader =
        vec![load(1, global(1)), store(reg(1), global(2)), load(1, global(0)), store(reg(1), global(3)), ret()];
    b.function(20, 2, &[reader]);
    let main = b.function(100, 3, &[main_with(&[0, 1], results(2, 3))]);
    b.start(main)
}

#[test]
fn message_passing_breaks_under_pso_only() {
    let plain = message_passing(None);
    assert_eq!(exit_statuses(&plain, MemoryModel::Tso), BTreeSet::from([0, 1, 11]));
    assert_eq!(exit_statuses(&plain, MemoryModel::Pso), BTreeSet::from([0, 1, 10, 11]));
    let released = message_passing(Some(Ordering::Release));
    assert_eq!(exit_statuses(&released, MemoryModel::Pso), BTreeSet::from([0, 1, 11]));
}

#[test]
fn an_acquired_release_orders_accesses() {
    let race_free = |store_order, load_order| {
        let mut b = Builder::new(16);
        b.function(10, 2, &[vec![store(imm(1), global(0)), store_atomic(imm(1), global(1), store_order), ret()]]);
        let cmp = Inst::Cmp { pred: ordain_expr::op::Pred::Eq, width: 32, dst: Reg(1), a: reg(1), b: imm(0) };
        let branch = Inst::CondBr { cond: reg(1), then: BlockId(2), other: BlockId(1) };
        let wait = vec![load_atomic(1, global(1), load_order), cmp, branch];
        b.function(20, 2, &[wait, vec![load(1, global(0)), Inst::Br { to: BlockId(2) }], vec![ret()]]);
        let main = b.function(100, 2, &[main_with(&[0, 1], vec![])]);
        let built = b.start(main);
        (0..100).all(|seed| run_random(&built, MemoryModel::Sc, seed).races().is_empty())
    };
    assert!(race_free(Ordering::Release, Ordering::Acquire));
    assert!(race_free(Ordering::SeqCst, Ordering::SeqCst));
    assert!(!race_free(Ordering::Relaxed, Ordering::Acquire));
    assert!(!race_free(Ordering::Release, Ordering::Relaxed));
}

#[test]
fn every_execution_can_be_followed() {
    for built in [counters(false), store_buffering(), spinner(vec![store(imm(1), global(0))])] {
        for memory in [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso] {
            for seed in 0..30 {
                let first = run_random(&built, memory, seed);
                let execution = first.execution();
                let config = Config { memory, ..Config::default() };
                let mut again = Machine::alone(&built.0, &built.1, config);
                let mut follow = Follow::new(&execution.schedule);
                run(&mut again, &mut follow, LIMIT);
                assert_eq!(follow.divergence(), None);
                assert_eq!(again.end(), first.end());
                assert_eq!(again.execution(), execution);
            }
        }
    }
}

#[test]
fn a_schedule_of_another_program_diverges() {
    let built = counters(true);
    let mut machine = run_random(&built, MemoryModel::Sc, 1);
    let mut schedule = machine.execution().schedule;
    // The second thread runs to its end before the first has been created.
    schedule.swap(0, 1);
    machine = Machine::alone(&built.0, &built.1, Config::default());
    let mut follow = Follow::new(&schedule);
    assert_eq!(run(&mut machine, &mut follow, LIMIT), Outcome::Stopped);
    let divergence = follow.divergence().expect("a thread that is not there");
    assert_eq!((divergence.turn, divergence.what.as_str()), (0, "it does not exist"));
}

#[test]
fn deterministic_schedulers_come_to_an_end() {
    let schedulers: [Box<dyn Fn() -> Box<dyn Scheduler>>; 5] = [
        Box::new(|| Box::new(RunToBlock::default())),
        Box::new(|| Box::new(RoundRobin::new(1))),
        Box::new(|| Box::new(RoundRobin::new(3))),
        Box::new(|| Box::new(Random::new(5))),
        Box::new(|| Box::new(Pct::new(3, 20, 5))),
    ];
    for scheduler in &schedulers {
        for memory in [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso] {
            for built in [counters(true), spinner(vec![store(imm(1), global(0))])] {
                let config = Config { memory, ..Config::default() };
                let mut machine = Machine::alone(&built.0, &built.1, config);
                assert!(matches!(run(&mut machine, &mut *scheduler(), LIMIT), Outcome::Ended(End::Exit(_))));
            }
        }
    }
}

#[test]
fn a_copy_goes_its_own_way() {
    let built = counters(false);
    let mut machine = Machine::alone(&built.0, &built.1, Config::default());
    for _ in 0..2 {
        machine.step(ThreadId(0));
    }
    let before = machine.fingerprint();
    let mut copy = machine.clone();
    run(&mut copy, &mut RunToBlock::default(), LIMIT);
    assert_eq!(copy.end(), Some(&End::Exit(2)));
    assert_eq!(machine.fingerprint(), before);
    run(&mut machine, &mut RoundRobin::new(1), LIMIT);
    assert_eq!(machine.end(), Some(&End::Exit(1)));
}
