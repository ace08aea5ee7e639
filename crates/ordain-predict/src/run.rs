//! The run that predictions are made from.

use crate::regions::{Which, regions};
use ordain_explore::Region;
use ordain_ir::facts::{Facts, loops};
use ordain_ir::program::{BlockId, Builtin, Callee, FuncId, Inst, Pc, Program};
use ordain_model::failure::Failure;
use ordain_model::forest::InputKey;
use ordain_model::witness::Execution;
use ordain_unfold::Script;
use ordain_unfold::script::{Step, What};
use ordain_vm::schedulers::{self, Outcome, Scheduler};
use ordain_vm::{Config, End, Inputs, Interpreter, Machine, Status};
use rustc_hash::FxHashSet;

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
    /// Every thread came to its end, and was not cut short by that of the process.
    pub whole: bool,
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
    let script = script(program, facts, &machine, &execution);
    let regions = regions(program, &machine, which);
    let whole = machine.thread_ids().skip(1).all(|thread| machine.status(thread) == Status::Ended);
    Ended::Passed(Box::new(Run { execution, script, regions, whole }))
}

/// Which way the threads of a machine went since it began, and what they were given.
pub(crate) fn script(program: &Program, facts: &Facts, machine: &Machine<'_>, execution: &Execution) -> Script {
    let mut script =
        Script { native: waiting_models(program, facts), open: waiting(program, facts), ..Script::default() };
    for thread in machine.thread_ids() {
        let known = machine.branches(thread).iter().filter(|b| !is_left_open(&script, b.function, b.pc));
        let step = |b: &ordain_vm::Branch| Step { function: b.function, pc: b.pc, what: What::Branch { to: b.to } };
        let steps = known.map(step).collect();
        script.steps.insert(machine.name(thread).clone(), steps);
    }
    script.answers = execution.answers.clone();
    for input in &execution.inputs {
        script.inputs.insert(InputKey { thread: input.thread.clone(), nth: input.nth }, input.bytes.clone());
    }
    script
}

/// Whether the way that a branch of the run went is no part of the thread's way: how long a thread waited, and what the library did
/// about it, may be otherwise in another order.
pub fn is_left_open(script: &Script, function: FuncId, pc: Pc) -> bool {
    script.native.contains(&function) || script.open.contains(&(function, pc))
}

/// The branches of the user's loops in which a thread only waits.
fn waiting(program: &Program, facts: &Facts) -> FxHashSet<(FuncId, Pc)> {
    let mut open = FxHashSet::default();
    for id in (0..program.functions.len() as u32).map(FuncId) {
        let (function, facts) = (program.function(id), facts.function(id));
        let headers = (0..function.blocks.len() as u32).map(BlockId).filter(|&block| facts.is_loop_header(block));
        for header in headers.filter(|&header| loops::only_waits(function, facts, header)) {
            open.extend(loops::ways(function, facts, header).into_iter().map(|(pc, _, _)| (id, pc)));
        }
    }
    open
}

/// The models of library functions in which threads wait, with everything that they call.
fn waiting_models(program: &Program, facts: &Facts) -> FxHashSet<FuncId> {
    let mut native = FxHashSet::default();
    for id in (0..program.functions.len() as u32).map(FuncId).filter(|&id| id != program.start) {
        let Some(called) = models_called(program, id) else { continue };
        if called.iter().any(|&model| waits(program, facts, model)) {
            native.extend(called);
        }
    }
    native
}

/// A model and everything that it calls; `None` if that leads out of the models.
fn models_called(program: &Program, id: FuncId) -> Option<FxHashSet<FuncId>> {
    let (mut called, mut open) = (FxHashSet::from_iter([id]), vec![id]);
    while let Some(id) = open.pop() {
        if !program.function(id).model {
            return None;
        }
        for inst in &program.function(id).code {
            match inst {
                Inst::Call { callee: Callee::Direct(callee), .. } if called.insert(*callee) => open.push(*callee),
                Inst::Call { callee: Callee::Indirect(_) | Callee::Unknown(_), .. } => return None,
                _ => {}
            }
        }
    }
    Some(called)
}

fn waits(program: &Program, facts: &Facts, id: FuncId) -> bool {
    let (function, facts) = (program.function(id), facts.function(id));
    let mut headers = (0..function.blocks.len() as u32).map(BlockId).filter(|&block| facts.is_loop_header(block));
    let sleeps = |inst: &Inst| {
        use Builtin::{CondEnqueue, CondSleep, CondWoken, Expired, MutexTryLock, Spurious};
        let Inst::Call { callee: Callee::Builtin(builtin), .. } = inst else { return false };
        matches!(builtin, CondEnqueue | CondSleep | CondWoken | Expired | MutexTryLock | Spurious)
    };
    headers.any(|header| loops::may_await(function, facts, header)) || function.code.iter().any(sleeps)
}
