//! Brute force for `predict`: of all interleavings in which every thread goes the way that it went in one run, or a part of it, everything
//! that goes wrong in any of them.
//!
//! Races, stuck threads and misused memory are collected by a search over states, as `enumerate` does it. For a region (here: all that a
//! thread does) whose accesses another thread comes between, the search keeps more: what every thread has read, whether the region
//! is in one piece so far, and who came between what. An execution that ends with an access of the region is of a *class*: how far every
//! thread is, what it has read, what memory holds. If nobody can bring about the same class with all regions in one piece, that somebody
//! came between has made a difference. That a thread lets go of mutexes is nothing that counts, nor is what it does to memory that no other
//! thread has to do with, or reads where no other thread writes.

use crate::along::Tapes;
use crate::findings::{Findings, Line};
use crate::knowledge::{Accesses, Knowledge};
use ordain_ir::facts::Facts;
use ordain_ir::program::Program;
use ordain_model::names::ThreadName;
use ordain_model::witness::InputValue;
use ordain_vm::tape::Tape;
use ordain_vm::{Action, Branch, Config, End, Executed, Inputs, Machine, ThreadId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The lines of the first access, the one that comes between, and the second.
pub type Split = (Line, Line, Line);

/// A run: the ways of its threads, and what it was given.
pub struct Run<'r> {
    pub tapes: &'r FxHashMap<ThreadName, Arc<Tape>>,
    pub inputs: &'r [InputValue],
    /// Branches that are no part of any way.
    pub is_left_open: &'r dyn Fn(&Branch) -> bool,
    /// Where interleavings begin, if not at the start of the program.
    pub scene: Option<&'r Machine<'r>>,
}

/// Races, stuck threads and failures; `None` if there are more than so many states.
pub fn findings<'p>(program: &'p Program, facts: &'p Facts, run: &Run<'p>, states: usize) -> Option<Findings> {
    let tapes = Tapes { tapes: run.tapes, is_left_open: run.is_left_open };
    let mut accesses = Accesses::default();
    let mut found = Findings::default();
    let mut visited: FxHashSet<Box<[u8]>> = FxHashSet::default();
    let mut open = vec![(machine(program, facts, run), Knowledge::default())];
    while let Some((machine, knowledge)) = open.pop() {
        for (thread, mut next) in tapes.steps(&machine) {
            let mut knowledge = knowledge.clone();
            for executed in next.take_log() {
                let name = |thread| next.name(thread).clone();
                found.races.extend(knowledge.execute(&mut accesses, program, &name, &executed).ok()?);
            }
            for failure in next.stuck() {
                let first = (&failure.thread, &failure.place);
                let all: Vec<_> = std::iter::once(first)
                    .chain(failure.others.iter().map(|(thread, place)| (thread, place)))
                    .collect();
                // Whoever has gone elsewhere and waits there would go on, for all that is known; whoever has ended has ended.
                let is_along = |name: &ThreadName| {
                    next.thread_by_name(name).is_some_and(|thread| tapes.along(&next, thread).is_ok())
                };
                if all.iter().all(|(name, _)| is_along(name)) {
                    let stuck = all.into_iter().map(|(name, place)| (failure.kind, name.clone(), place.line));
                    found.stuck.extend(stuck);
                }
            }
            match next.end() {
                Some(End::Failed(failure)) if !failure.kind.is_stuck() && tapes.along(&next, thread).is_ok() => {
                    found.errors.insert((failure.kind, failure.place.line));
                }
                Some(End::Unsupported { .. }) => return None,
                _ => {}
            }
            if next.end().is_some() {
                continue;
            }
            let mut key = tapes.key(&next);
            knowledge.encode(&mut key);
            if visited.insert(key.into_boxed_slice()) {
                open.push((next, knowledge));
            }
            if visited.len() > states {
                return None;
            }
        }
    }
    Some(found)
}

fn machine<'p>(program: &'p Program, facts: &'p Facts, run: &Run<'p>) -> Machine<'p> {
    let config = Config { branches: true, record: true, stop_when_stuck: false, ..Config::default() };
    let mut machine = match run.scene {
        Some(scene) => scene.begin_here(config, None),
        None => Machine::alone(program, facts, config),
    };
    machine.provide_inputs(Inputs::given(run.inputs));
    machine
}

/// Who comes between two accesses of a thread other than main, and makes a difference; `None` if there are more than so many states.
pub fn splits<'p>(program: &'p Program, facts: &'p Facts, run: &Run<'p>, states: usize) -> Option<BTreeSet<Split>> {
    let sharing = sharing(program, facts, run, states)?;
    let threads = run.tapes.keys().filter(|name| !name.is_main());
    let mut all = BTreeSet::new();
    for thread in threads {
        all.extend(splits_of(program, facts, run, thread, &sharing, states)?);
    }
    Some(all)
}

/// Bytes of a word. What different threads do to one counts as done to the same memory.
const WORD_BYTES: u64 = 8;

/// Which threads have to do with a word, in any interleaving, and which of them write to it.
#[derive(Default)]
struct Sharing(FxHashMap<u64, BTreeMap<ThreadId, bool>>);

impl Sharing {
    /// Whether nobody else sees what a thread did: it let go of a mutex, or wrote to memory that nobody else has to do with, or read
    /// what nobody else writes to.
    fn is_unnoticed(&self, log: &[Executed], thread: ThreadId) -> bool {
        let [Executed { action, .. }] = log else { return false };
        let conflicts = |word: u64| {
            let of_others = self.0.get(&word).into_iter().flatten().filter(|(other, _)| **other != thread);
            of_others.into_iter().any(|(_, &other_writes)| other_writes || writes(action))
        };
        let mut own = words(action).peekable();
        matches!(action, Action::Unlock { .. }) || own.peek().is_some() && !own.any(conflicts)
    }
}

fn sharing<'p>(program: &'p Program, facts: &'p Facts, run: &Run<'p>, states: usize) -> Option<Sharing> {
    let tapes = Tapes { tapes: run.tapes, is_left_open: run.is_left_open };
    let mut sharing = Sharing::default();
    let mut visited: FxHashSet<Box<[u8]>> = FxHashSet::default();
    let mut open = vec![machine(program, facts, run)];
    while let Some(machine) = open.pop() {
        for (thread, mut next) in tapes.steps(&machine) {
            // What the main thread does before there is another is how memory begins.
            let is_alone = machine.threads() == 1;
            for executed in next.take_log().iter().filter(|_| !is_alone) {
                for word in words(&executed.action) {
                    *sharing.0.entry(word).or_default().entry(thread).or_default() |= writes(&executed.action);
                }
            }
            if next.end().is_none() && visited.insert(tapes.key(&next).into_boxed_slice()) {
                open.push(next);
            }
            if visited.len() > states {
                return None;
            }
        }
    }
    Some(sharing)
}

fn writes(action: &Action) -> bool {
    matches!(action, Action::Store { .. } | Action::Rmw { .. } | Action::CmpXchg { .. } | Action::Input { .. })
}

/// The words that an access is to.
fn words(action: &Action) -> impl Iterator<Item = u64> + use<> {
    let (address, size) = match *action {
        Action::Load { address, size, .. } | Action::Store { address, size, .. } => (address, u64::from(size)),
        Action::Rmw { address, size, .. } | Action::CmpXchg { address, size, .. } => (address, u64::from(size)),
        Action::Input { address: Some(address), ref bytes, .. } => (address, bytes.len() as u64),
        _ => (0, 0),
    };
    address / WORD_BYTES..(address + size).div_ceil(WORD_BYTES)
}

/// What is remembered of an execution, for one thread's region.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
struct Memory {
    /// What each thread has read.
    reads: BTreeMap<u32, Vec<u64>>,
    /// What was written and is still there, by byte.
    bytes: BTreeMap<u64, u8>,
    /// The accesses of the region.
    own: Vec<Access>,
    /// Accesses of others, with how many of the region's were before them.
    remote: Vec<(usize, Access)>,
    /// How far each region is in one piece.
    pieces: BTreeMap<u32, Piece>,
    /// How many points the region's thread had executed, when it last did something that others could notice.
    points: u64,
}

/// A region that has begun.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
struct Piece {
    /// Somebody else has done something since.
    interrupted: bool,
    /// And after that the region has gone on.
    split: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Access {
    line: Line,
    from: u64,
    to: u64,
    writes: bool,
    /// In the user's own code.
    counts: bool,
}

impl Access {
    fn overlaps(self, other: Access) -> bool {
        self.from < other.to && other.from < self.to
    }
}

/// How far every thread is, what it has read, and what memory holds.
type Class = (Vec<u64>, BTreeMap<u32, Vec<u64>>, BTreeMap<u64, u8>);

#[derive(Default)]
struct Ends {
    in_one_piece: bool,
    splits: BTreeSet<Split>,
}

fn splits_of<'p>(
    program: &'p Program,
    facts: &'p Facts,
    run: &Run<'p>,
    region: &ThreadName,
    sharing: &Sharing,
    states: usize,
) -> Option<BTreeSet<Split>> {
    let tapes = Tapes { tapes: run.tapes, is_left_open: run.is_left_open };
    let mut classes: FxHashMap<Class, Ends> = FxHashMap::default();
    let mut visited: FxHashSet<(Box<[u8]>, Memory)> = FxHashSet::default();
    let mut open = vec![(machine(program, facts, run), Memory::default())];
    while let Some((machine, memory)) = open.pop() {
        for (thread, mut next) in tapes.steps(&machine) {
            let mut memory = memory.clone();
            let is_own = next.name(thread) == region;
            let log = next.take_log();
            let is_unnoticed = sharing.is_unnoticed(&log, thread);
            memory.pieces.iter_mut().filter(|(other, _)| **other != thread.0).for_each(|(_, p)| p.interrupted = true);
            if !is_unnoticed && !next.name(thread).is_main() {
                let piece = memory.pieces.entry(thread.0).or_default();
                piece.split |= piece.interrupted;
            }
            if is_own && !is_unnoticed {
                memory.points = next.points(thread);
            }
            let before = memory.own.len();
            if !is_unnoticed {
                log.iter().for_each(|executed| memory.note(program, executed, thread, is_own));
            }
            let is_region = |t: ThreadId| next.name(t) == region;
            let points = next.thread_ids().map(|t| if is_region(t) { memory.points } else { next.points(t) }).collect();
            let ends = classes.entry((points, memory.reads.clone(), memory.bytes.clone())).or_default();
            ends.in_one_piece |= memory.pieces.values().all(|piece| !piece.split);
            if memory.own.len() > before {
                ends.splits.extend(memory.splits());
            }
            if matches!(next.end(), Some(End::Unsupported { .. })) {
                return None;
            }
            if next.end().is_some() {
                continue;
            }
            if visited.insert((tapes.key(&next).into_boxed_slice(), memory.clone())) {
                open.push((next, memory));
            }
            if visited.len() > states {
                return None;
            }
        }
    }
    let differ = classes.into_values().filter(|ends| !ends.in_one_piece);
    Some(differ.flat_map(|ends| ends.splits).collect())
}

impl Memory {
    fn note(&mut self, program: &Program, executed: &Executed, thread: ThreadId, is_own: bool) {
        let reads = self.reads.entry(thread.0).or_default();
        let mut written = None;
        let (address, size) = match executed.action {
            Action::Load { address, size, value, .. } => {
                reads.push(value);
                (address, size)
            }
            Action::Store { address, size, value, .. } => {
                written = Some(value);
                (address, size)
            }
            Action::Rmw { address, size, old, new, .. } => {
                reads.push(old);
                written = Some(new);
                (address, size)
            }
            Action::CmpXchg { address, size, old, new } => {
                reads.push(old);
                written = new;
                (address, size)
            }
            Action::TryLock { taken, .. } => return reads.push(u64::from(taken)),
            Action::Chosen { outcome, .. } => return reads.push(u64::from(outcome)),
            _ => return,
        };
        if let Some(value) = written {
            self.bytes.extend((address..).zip(value.to_le_bytes()).take(size.into()));
        }
        let access = Access {
            line: executed.location.line,
            from: address,
            to: address + u64::from(size),
            writes: written.is_some(),
            counts: !program.function(executed.function).model,
        };
        match is_own {
            true => self.own.push(access),
            false => self.remote.push((self.own.len(), access)),
        }
    }

    /// Who came between an access of the region and its last.
    fn splits(&self) -> Vec<Split> {
        let Some((&second, others)) = self.own.split_last() else { return Vec::new() };
        let mut splits = Vec::new();
        for (after, remote) in &self.remote {
            for first in &others[..(*after).min(others.len())] {
                let matters = remote.writes || (first.writes && second.writes);
                let meet = first.overlaps(*remote) && remote.overlaps(second) && first.overlaps(second);
                if meet && matters && first.counts && remote.counts && second.counts {
                    splits.push((first.line, remote.line, second.line));
                }
            }
        }
        splits
    }
}
