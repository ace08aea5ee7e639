//! Random runs that fail: what a recording would be made of.

use crate::findings::{Branch, PathClass};
use ordain_ir::facts::Facts;
use ordain_ir::program::Program;
use ordain_model::failure::Failure;
use ordain_model::witness::{Execution, MemoryModel};
use ordain_vm::schedulers::{Random, run};
use ordain_vm::{Config, End, Inputs, Machine};

/// Points of a random run.
const MOST_POINTS: u64 = 20_000;

/// A run that failed, and the way its threads went.
pub struct FailedRun {
    pub failure: Failure,
    pub execution: Execution,
    pub paths: PathClass,
}

/// The run that chance makes of this seed, if it fails. That threads are stuck does not count.
pub fn fail(program: &Program, facts: &Facts, memory: MemoryModel, seed: u64) -> Option<FailedRun> {
    let config = Config { memory, branches: true, ..Config::default() };
    let mut machine = Machine::alone(program, facts, config);
    machine.provide_inputs(Inputs::random(seed));
    run(&mut machine, &mut Random::new(seed), MOST_POINTS);
    let Some(End::Failed(failure)) = machine.end() else { return None };
    if failure.kind.is_stuck() {
        return None;
    }
    let path = |t| machine.branches(t).iter().map(|b| Branch { function: b.function, pc: b.pc, to: b.to }).collect();
    let paths = machine.thread_ids().map(|t| (machine.name(t).clone(), path(t))).collect();
    Some(FailedRun { failure: failure.clone(), execution: machine.execution(), paths })
}
