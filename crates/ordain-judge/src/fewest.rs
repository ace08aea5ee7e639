//! Brute force for `reproduce`: of all interleavings in which every thread goes a given way, or a part of it, and which fail as
//! one did, those with the fewest preemptions, and among them the fewest switches.
//!
//! A search over the states of the machine, cheapest first. States that differ only in who was running are different.

use crate::along::Tapes;
use ordain_ir::facts::Facts;
use ordain_ir::program::Program;
use ordain_model::failure::Failure;
use ordain_model::names::ThreadName;
use ordain_model::witness::{InputValue, MemoryModel};
use ordain_vm::tape::Tape;
use ordain_vm::{Config, End, Inputs, Machine, Status, Switches, ThreadId, can_go_on};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is to be shown, and how.
pub struct Wanted<'w> {
    pub memory: MemoryModel,
    /// The ways of the threads. One that is not here does nothing that anybody notices.
    pub tapes: &'w FxHashMap<ThreadName, Arc<Tape>>,
    pub inputs: &'w [InputValue],
    pub failure: &'w Failure,
}

/// `None` if there are more than so many states.
pub fn fewest(program: &Program, facts: &Facts, wanted: &Wanted<'_>, states: usize) -> Option<Switches> {
    let config = Config { memory: wanted.memory, branches: true, stop_when_stuck: false, ..Config::default() };
    let tapes = Tapes { tapes: wanted.tapes, is_left_open: &|_| false };
    let mut machine = Machine::alone(program, facts, config);
    machine.provide_inputs(Inputs::given(wanted.inputs));
    let mut open: BTreeMap<Switches, Vec<State<'_>>> = BTreeMap::new();
    open.entry(Switches::default()).or_default().push(State { machine, running: None });
    let mut visited: FxHashSet<(Vec<u8>, Option<u32>)> = FxHashSet::default();
    while let Some(mut cheapest) = open.first_entry() {
        let cost = *cheapest.key();
        let Some(state) = cheapest.get_mut().pop() else {
            cheapest.remove();
            continue;
        };
        if let Some(end) = state.machine.end() {
            match end {
                End::Failed(failure) if failure.same_claim(wanted.failure) => return Some(cost),
                _ => continue,
            }
        }
        if !visited.insert((tapes.key(&state.machine), state.running.map(|t| t.0))) {
            continue;
        }
        if visited.len() > states {
            return None;
        }
        for (next, cost) in state.successors(cost, tapes) {
            open.entry(cost).or_default().push(next);
        }
    }
    panic!("an execution that was found is not found again");
}

struct State<'p> {
    machine: Machine<'p>,
    running: Option<ThreadId>,
}

impl<'p> State<'p> {
    fn successors(&self, cost: Switches, tapes: Tapes<'_>) -> Vec<(State<'p>, Switches)> {
        let mut successors = Vec::new();
        let preempts = self.running.is_some_and(|running| can_go_on(&self.machine, running));
        for (thread, machine) in tapes.steps(&self.machine) {
            // That it has ended, others would notice: who goes on after that has not interrupted it.
            if machine.status(thread) == Status::Ended && tapes.along(&machine, thread).is_err() {
                continue;
            }
            let switches = self.running.is_some_and(|running| running != thread);
            let cost = Switches {
                preemptions: cost.preemptions + u32::from(switches && preempts),
                all: cost.all + u32::from(switches),
            };
            successors.push((State { machine, running: Some(thread) }, cost));
        }
        for (thread, nth) in self.machine.commits() {
            let mut machine = self.machine.clone();
            machine.commit(thread, nth);
            successors.push((State { machine, running: self.running }, cost));
        }
        successors
    }
}
