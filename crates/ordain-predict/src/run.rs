//! The run that predictions are made from.

use crate::filter::{Candidate, Filter};
use crate::omission::Needs;
use crate::regions::{Which, regions};
use ordain_explore::Region;
use ordain_ir::facts::{Facts, loops};
use ordain_ir::program::{BlockId, Builtin, Callee, FuncId, Inst, Pc, Program};
use ordain_model::failure::Failure;
use ordain_model::forest::InputKey;
use ordain_model::names::ThreadName;
use ordain_model::witness::Execution;
use ordain_unfold::Script;
use ordain_unfold::script::{Step, What};
use ordain_vm::schedulers::{self, Outcome, Scheduler};
use ordain_vm::{Action, Config, End, Executed, Inputs, Interpreter, Machine, Status, ThreadId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::{Duration, Instant};

/// Longer runs than this are looked at in windows, and so are those in which threads have more to do with each other.
const MOST_POINTS_AT_ONCE: u64 = 100_000;
const MOST_SHARED_AT_ONCE: u64 = 4_000;
/// Points after which the log is handed to the filter.
const CHUNK: u64 = 4_096;

/// A run that passed.
#[derive(Clone, Debug)]
pub struct Run {
    pub execution: Execution,
    pub points: u64,
    /// Which way each thread went, and what may be meant to be atomic; of a long run each of its windows knows that.
    pub script: Script,
    pub regions: Vec<Region>,
    pub which: Which,
    /// Every thread came to its end, and was not cut short by that of the process.
    pub whole: bool,
    /// It is too long to be looked at as a whole.
    pub is_long: bool,
    /// What may go wrong, as far as one pass over the run tells.
    pub candidates: Vec<Candidate>,
    /// How much of the run that pass had to forget.
    pub dropped: u64,
    /// What every event needs from others so that it can happen as it did.
    pub(crate) needs: Needs,
    /// By number.
    pub(crate) threads: Vec<ThreadName>,
    /// What the run took, and the pass.
    pub time: Duration,
    pub time_of_filter: Duration,
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

/// Runs the program under a scheduler. If it goes on for more than so many points, it is taken to have no end.
pub fn run(
    program: &Program,
    facts: &Facts,
    inputs: Inputs,
    by: &mut dyn Scheduler,
    which: Which,
    most_points: u64,
) -> Ended {
    // Only the plain interpreter keeps marks.
    let interpreter = Interpreter::Plain;
    let config = Config { interpreter, branches: true, marks: true, record: true, ..Config::default() };
    let mut machine = Machine::alone(program, facts, config);
    if !inputs.has_answers() {
        machine.keep_answers();
    }
    machine.provide_inputs(inputs);
    let (begun, mut time_of_filter) = (Instant::now(), Duration::ZERO);
    let (mut filter, mut needs) = (Filter::new(program), Needs::default());
    let mut shared = Shared::default();
    let (outcome, points) = loop {
        let outcome = schedulers::run(&mut machine, by, CHUNK);
        let (log, filtering) = (machine.take_log(), Instant::now());
        for executed in &log {
            filter.take(needs.take(executed), executed);
        }
        time_of_filter += filtering.elapsed();
        let points = machine.thread_ids().map(|thread| machine.points(thread)).sum();
        match points <= MOST_POINTS_AT_ONCE {
            true => log.iter().for_each(|executed| shared.take(executed)),
            // Nobody will ask for the way of the whole run.
            false => machine.stop_marking(),
        }
        if outcome != Outcome::Limit || points > most_points {
            break (outcome, points);
        }
    };
    match outcome {
        Outcome::Ended(End::Exit(_)) => {}
        Outcome::Ended(End::Failed(failure)) => return Ended::Failed(failure, machine.execution()),
        Outcome::Ended(End::Unsupported { what, place }) => {
            return Ended::Unfinished(format!("unsupported at {place}: {what}"));
        }
        Outcome::Ended(End::AssumeViolated) => {
            return Ended::Unfinished("an assumption of the program does not hold in the run".to_owned());
        }
        Outcome::Limit => return Ended::Unfinished(format!("the run has more than {most_points} points")),
        Outcome::Stopped => return Ended::Unfinished("the run has no end".to_owned()),
    }
    let execution = machine.execution();
    let is_long = points > MOST_POINTS_AT_ONCE || shared.count() > MOST_SHARED_AT_ONCE;
    let whole = machine.thread_ids().skip(1).all(|thread| machine.status(thread) == Status::Ended);
    Ended::Passed(Box::new(Run {
        points,
        script: if is_long { Script::default() } else { script(&empty_script(program, facts), &machine, &execution) },
        regions: if is_long { Vec::new() } else { regions(program, &machine, which) },
        which,
        whole,
        is_long,
        dropped: filter.dropped(),
        time_of_filter,
        time: begun.elapsed() - time_of_filter,
        candidates: filter.finish(),
        needs,
        threads: machine.thread_ids().map(|thread| machine.name(thread).clone()).collect(),
        execution,
    }))
}

/// How many events of a run other threads have to do with.
#[derive(Default)]
struct Shared {
    /// Who has touched a word: the first thread, whether there are others, whether it was written, how often.
    words: FxHashMap<u64, (ThreadId, bool, bool, u64)>,
    synchronising: u64,
}

impl Shared {
    fn take(&mut self, executed: &Executed) {
        let (address, size, writes) = match executed.action {
            Action::Load { address, size, .. } => (address, size, false),
            Action::Store { address, size, .. } | Action::Rmw { address, size, .. } => (address, size, true),
            Action::CmpXchg { address, size, .. } => (address, size, true),
            Action::Lock { .. } | Action::Unlock { .. } | Action::Signal { .. } | Action::Enqueue { .. } => {
                self.synchronising += 1;
                return;
            }
            _ => return,
        };
        for word in address / 8..(address + u64::from(size)).div_ceil(8) {
            let (first, many, written, count) = self.words.entry(word).or_insert((executed.thread, false, false, 0));
            *many |= *first != executed.thread;
            *written |= writes;
            *count += 1;
        }
    }

    fn count(&self) -> u64 {
        let shared = self.words.values().filter(|(_, many, written, _)| *many && *written);
        shared.map(|(.., count)| count).sum::<u64>() + self.synchronising
    }
}

/// The script of every run of a program, before anything is known of the run: what is no part of its threads' ways.
pub(crate) fn empty_script(program: &Program, facts: &Facts) -> Script {
    let (native, open) = (waiting_models(program, facts), waiting(program, facts));
    Script { native, open, follows_ends: true, ..Script::default() }
}

/// Which way the threads of a machine went since it began, and what they were given.
pub(crate) fn script(empty: &Script, machine: &Machine<'_>, execution: &Execution) -> Script {
    let mut script = empty.clone();
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
