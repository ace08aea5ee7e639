//! The run that predictions are made from.

use crate::regions::{Which, regions};
use ordain_explore::Region;
use ordain_ir::facts::Facts;
use ordain_ir::program::Program;
use ordain_model::failure::Failure;
use ordain_model::forest::InputKey;
use ordain_model::witness::Execution;
use ordain_unfold::Script;
use ordain_unfold::script::{Step, What};
use ordain_vm::schedulers::{self, Outcome, Scheduler};
use ordain_vm::{Config, End, Inputs, Interpreter, Machine};

/// Longer runs than this, in points, are too much for the solver.
pub const MOST_POINTS: u64 = 100_000;

/// A run that passed.
#[derive(Clone, Debug)]
pub struct Run {
    pub execution: Execution,
    /// Which way each thread went.
    pub script: Script,
    /// What may be meant to be atomic.
    pub regions: Vec<Region>,
}

/// How a run came to its end.
#[derive(Clone, Debug)]
pub enum Ended {
    Passed(Box<Run>),
    /// It failed by itself: there is nothing to predict.
    Failed(Failure, Execution),
    /// It cannot be made, or has no end.
    Unfinished(String),
}

/// Runs the program under a scheduler.
pub fn run(program: &Program, facts: &Facts, inputs: Inputs, by: &mut dyn Scheduler, which: Which) -> Ended {
    // Only the plain interpreter keeps marks.
    let interpreter = Interpreter::Plain;
    let config = Config { interpreter, branches: true, marks: true, ..Config::default() };
    let mut machine = Machine::alone(program, facts, config);
    machine.provide_inputs(inputs);
    match schedulers::run(&mut machine, by, MOST_POINTS) {
        Outcome::Ended(End::Exit(_)) => {}
        Outcome::Ended(End::Failed(failure)) => return Ended::Failed(failure, machine.execution()),
        Outcome::Ended(End::Unsupported { what, place }) => {
            return Ended::Unfinished(format!("unsupported at {place}: {what}"));
        }
        Outcome::Ended(End::AssumeViolated) => {
            return Ended::Unfinished("an assumption of the program does not hold in the run".to_owned());
        }
        Outcome::Limit => return Ended::Unfinished(format!("the run has more than {MOST_POINTS} points")),
        Outcome::Stopped => return Ended::Unfinished("the run has no end".to_owned()),
    }
    let execution = machine.execution();
    let script = script(&machine, &execution);
    let regions = regions(program, &machine, which);
    Ended::Passed(Box::new(Run { execution, script, regions }))
}

fn script(machine: &Machine<'_>, execution: &Execution) -> Script {
    let mut script = Script::default();
    for thread in machine.thread_ids() {
        let step = |b: &ordain_vm::Branch| Step { function: b.function, pc: b.pc, what: What::Branch { to: b.to } };
        let steps = machine.branches(thread).iter().map(step).collect();
        script.steps.insert(machine.name(thread).clone(), steps);
    }
    for input in &execution.inputs {
        script.inputs.insert(InputKey { thread: input.thread.clone(), nth: input.nth }, input.bytes.clone());
    }
    script
}
