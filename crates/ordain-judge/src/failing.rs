//! Random runs that fail: what a recording would be made of.

use crate::findings::{Branch, PathClass};
use ordain_ir::facts::Facts;
use ordain_ir::program::Program;
use ordain_model::failure::Failure;
use ordain_model::memory::AddressBook;
use ordain_model::witness::{Execution, MemoryModel};
use ordain_vm::schedulers::{Random, run};
use ordain_vm::{Config, End, Inputs, Machine, Natives, Passed};
use std::cell::RefCell;
use std::rc::Rc;

/// Points of a random run.
const MOST_POINTS: u64 = 20_000;

/// A run that failed, and the way its threads went.
pub struct FailedRun {
    pub failure: Failure,
    pub execution: Execution,
    pub paths: PathClass,
    /// The same with every round of waiting, as a recording has it.
    pub with_rounds: PathClass,
}

/// The run that chance makes of this seed, if it fails. That threads are stuck does not count.
pub fn fail(program: &Program, facts: &Facts, memory: MemoryModel, seed: u64) -> Option<FailedRun> {
    let config = Config { memory, branches: true, ..Config::default() };
    let natives = Rc::new(Natives::new(program.functions.len(), []));
    let book = Rc::new(RefCell::new(AddressBook::new(program)));
    let mut machine = Machine::on_trail(program, facts, config, book, natives);
    machine.provide_inputs(Inputs::random(seed));
    run(&mut machine, &mut Random::new(seed), MOST_POINTS);
    let Some(End::Failed(failure)) = machine.end().cloned() else { return None };
    if failure.kind.is_stuck() {
        return None;
    }
    let branch = |b: &ordain_vm::Branch| Branch { function: b.function, pc: b.pc, to: b.to };
    let names: Vec<_> = machine.thread_ids().map(|t| (t, machine.name(t).clone())).collect();
    let paths =
        names.iter().map(|(t, name)| (name.clone(), machine.branches(*t).iter().map(branch).collect())).collect();
    let execution = machine.execution();
    let mut with_rounds = PathClass::default();
    for (thread, name) in names {
        let passed = machine.take_trail(thread).into_iter().filter_map(|passed| match passed {
            Passed::Branch(taken) => Some(branch(&taken)),
            Passed::Done { .. } | Passed::Entered { .. } => None,
        });
        with_rounds.insert(name, passed.collect());
    }
    Some(FailedRun { failure, execution, paths, with_rounds })
}
