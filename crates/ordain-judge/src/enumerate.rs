//! Brute force: every interleaving of points, every commit of a buffered store, every input.
//!
//! A depth-first search over the states of the machine. A state that was there before is not searched again, and two
//! states count as the same only if their keys are: everything the machine's future depends on, and the history that
//! goes into what is collected (output, the branches each thread took, who knows of which accesses). Beyond that only
//! failing iterations of awaits are not repeated; there is no other reduction, so that there is little to get wrong.
//!
//! Under SC there are only steps of threads. Under TSO and PSO stores wait in buffers, and a commit of one of them is a
//! choice like any other.

use crate::findings::{Branch, Incomplete, PathClass, Verdict};
use crate::knowledge::{Accesses, Knowledge};
use ordain_ir::facts::Facts;
use ordain_ir::program::Program;
use ordain_model::failure::FailureKind;
use ordain_model::witness::MemoryModel;
use ordain_vm::{Config, End, Machine, PendingKind, Status, ThreadId};
use rustc_hash::FxHashSet;

/// When to give up, and what to look for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    pub states: usize,
    /// Look for data races. Means nothing but for SC.
    pub races: bool,
    /// Collect path classes.
    pub paths: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { states: 200_000, races: true, paths: true }
    }
}

/// Everything that can happen in `program`.
pub fn enumerate(program: &Program, facts: &Facts, memory: MemoryModel, limits: Limits) -> Verdict {
    let limits = Limits { races: limits.races && memory == MemoryModel::Sc, ..limits };
    let config =
        Config { memory, record: limits.races, branches: limits.paths, stop_when_stuck: false, ..Config::default() };
    let mut search = Search::new(program, limits);
    search.arrive(State { machine: Machine::alone(program, facts, config), knowledge: Knowledge::default() });
    while let Some(state) = search.open.pop() {
        if search.verdict.incomplete.is_some() {
            break;
        }
        search.expand(&state);
    }
    Verdict { states: search.visited.len(), ..search.verdict }
}

#[derive(Clone)]
struct State<'p> {
    machine: Machine<'p>,
    knowledge: Knowledge,
}

struct Search<'p> {
    program: &'p Program,
    limits: Limits,
    accesses: Accesses,
    open: Vec<State<'p>>,
    visited: FxHashSet<Box<[u8]>>,
    verdict: Verdict,
}

impl<'p> Search<'p> {
    fn new(program: &'p Program, limits: Limits) -> Self {
        Search {
            program,
            limits,
            accesses: Accesses::default(),
            open: Vec::new(),
            visited: FxHashSet::default(),
            verdict: Verdict::default(),
        }
    }

    /// Takes every choice there is in `state`.
    fn expand(&mut self, state: &State<'p>) {
        for thread in state.machine.thread_ids() {
            // A thread that waits for memory to change is left alone until it does: it would go round in a loop that it
            // has been through, with the same values.
            if state.machine.status(thread) == Status::Ready {
                self.step(state, thread);
            }
        }
        for (thread, nth) in state.machine.commits() {
            let mut next = state.clone();
            next.machine.commit(thread, nth);
            self.arrive(next);
        }
    }

    fn step(&mut self, state: &State<'p>, thread: ThreadId) {
        let pending = state.machine.pending(thread).map(|p| p.kind);
        let Some(PendingKind::Input { size, nth, .. }) = pending else {
            for outcome in 0..state.machine.outcomes(thread) {
                let mut next = state.clone();
                next.machine.step_with(thread, outcome);
                self.arrive(next);
            }
            return;
        };
        // What the input is called is known once it was read.
        let mut probe = state.machine.clone();
        probe.step(thread);
        let name = probe.execution().inputs.pop().map(|input| input.name).unwrap_or_default();
        let Some(values) = values_of_input(&name, size) else {
            self.verdict.incomplete = Some(Incomplete::Input { name });
            return;
        };
        for value in 0..values {
            let mut next = state.clone();
            let bytes = (value as u64).to_le_bytes().to_vec();
            next.machine.set_input(state.machine.name(thread).clone(), nth, bytes);
            next.machine.step(thread);
            self.arrive(next);
        }
    }

    /// Collects what there is in a new state, and keeps it for later unless it was there before.
    fn arrive(&mut self, mut state: State<'p>) {
        self.collect_races(&mut state);
        self.collect_stuck(&state.machine);
        if let Some(end) = state.machine.end().cloned() {
            self.collect_end(&state, &end);
            return;
        }
        let mut key = state.machine.fingerprint();
        key.extend(state.machine.output());
        key.push(0);
        state.knowledge.encode(&mut key);
        if !self.visited.insert(key.into_boxed_slice()) {
            return;
        }
        if self.visited.len() > self.limits.states {
            self.verdict.incomplete = Some(Incomplete::States);
            return;
        }
        self.open.push(state);
    }

    fn collect_races(&mut self, state: &mut State<'p>) {
        let log = state.machine.take_log();
        if !self.limits.races {
            return;
        }
        for executed in &log {
            let machine = &state.machine;
            let name = |thread| machine.name(thread).clone();
            match state.knowledge.execute(&mut self.accesses, self.program, &name, executed) {
                Ok(races) => self.verdict.found.races.extend(races),
                Err(_) => self.verdict.incomplete = Some(Incomplete::Accesses),
            }
        }
    }

    fn collect_end(&mut self, state: &State<'p>, end: &End) {
        match end {
            End::Exit(status) => {
                let output = String::from_utf8_lossy(state.machine.output()).into_owned();
                self.verdict.found.exits.insert((*status, output));
            }
            End::Failed(failure) if is_stuck(failure.kind) => {}
            End::Failed(failure) => {
                self.verdict.found.errors.insert((failure.kind, failure.place.line));
            }
            End::AssumeViolated => return,
            End::Unsupported { what, .. } => {
                self.verdict.incomplete = Some(Incomplete::Unsupported { what: what.clone() });
                return;
            }
        }
        if self.limits.paths && is_whole(&state.machine, end) {
            let class = path_class(&state.machine);
            self.verdict.found.paths.insert(class);
        }
    }

    /// Threads that are stuck do not stop the others, so a run can have several such sets, each larger than the last.
    fn collect_stuck(&mut self, machine: &Machine<'p>) {
        for failure in machine.stuck() {
            let first = (&failure.thread, &failure.place);
            let others = failure.others.iter().map(|(thread, place)| (thread, place));
            for (thread, place) in std::iter::once(first).chain(others) {
                self.verdict.found.stuck.insert((failure.kind, thread.clone(), place.line));
            }
        }
    }
}

fn is_stuck(kind: FailureKind) -> bool {
    matches!(kind, FailureKind::Deadlock | FailureKind::Hang)
}

/// Whether every thread came to its end. A thread that was cut short has taken branches of which some could not have gone
/// otherwise, so how far it came is no matter of paths.
fn is_whole(machine: &Machine<'_>, end: &End) -> bool {
    let others_ended = || machine.thread_ids().skip(1).all(|t| machine.status(t) == Status::Ended);
    matches!(end, End::Exit(_)) && others_ended()
}

fn path_class(machine: &Machine<'_>) -> PathClass {
    let branch = |b: &ordain_vm::Branch| Branch { function: b.function, pc: b.pc, to: b.to };
    let path = |thread| machine.branches(thread).iter().map(branch).collect();
    machine.thread_ids().map(|thread| (machine.name(thread).clone(), path(thread))).collect()
}

/// How many values of an input matter: what its name says after a slash, else all that fit into one byte.
fn values_of_input(name: &str, size: u64) -> Option<u32> {
    match name.rsplit_once('/') {
        Some((_, values)) => values.parse().ok(),
        None => (size == 1).then_some(256),
    }
}
