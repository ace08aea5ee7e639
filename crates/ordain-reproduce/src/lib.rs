//! `reproduce`: it failed once. How, exactly?
//!
//! A recording says which way every thread went, and nearly when, not in which order they ran. That is what is computed here, in
//! three steps: a machine is led along the recording, in the order of its times (`conduct`), and the order is changed where they
//! do not tell, until it fails as recorded (`repair`); the run is rearranged so that threads are interrupted as rarely as possible
//! (`gather`, `shorten`); and all runs with fewer preemptions are gone through, if there are not too many (`enumerate`). Where there are, the
//! solver may know more.
//!
//! The solver also finds the failure where leading does not: without times, or with store buffers. The recorded path of each thread
//! is its part of the forest then, what it read from shared memory is unknown, and the failure is the goal. The model, the
//! search and the proof are those of `explore`, given a script.

mod bounds;
mod commits;
mod conduct;
mod enumerate;
mod gather;
mod goal;
mod notice;
mod repair;
mod script;
mod shorten;
mod stage;

pub use goal::{Goal, goal};
pub use script::{Ways, read};

use bounds::Bounds;
use ordain_explore::{
    Aim, Aimed, Bug, Error, Fewest, Interrupt, Options, Progress, Recorded, Regions, Statistics, Stopped, Summary,
    Verdict,
};
use ordain_ir::facts::Facts;
use ordain_ir::program::Program;
use ordain_model::failure::{Failure, FailureKind, Place};
use ordain_model::witness::{Execution, MemoryModel};
use ordain_unfold::Script;
use ordain_vm::End;
use repair::Found;
use stage::{Case, Stage};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Longer runs, in points, are too much for the solver.
const MOST_POINTS: u64 = 6_000;
/// The same, in branches of the recording, if there is nothing to begin with.
const MOST_BRANCHES: usize = 10_000;
/// Conflicts that a question to the solver may cost, unless somebody says otherwise.
const EFFORT: u64 = 100_000;
/// So long it is tried to find the order by changing that of the times, unless somebody says otherwise.
const MOST_TIME_TO_LEAD: Duration = Duration::from_secs(60);
/// Runs with more preemptions are not gone through if none is known that fails.
const MOST_PREEMPTIONS: u32 = 4;
/// So long a run that fails is rearranged, unless somebody says otherwise.
const MOST_TIME_TO_SHORTEN: Duration = Duration::from_secs(60);
/// So long it is tried to prove that fewer preemptions do not suffice, unless somebody says otherwise.
const MOST_TIME_TO_PROVE: Duration = Duration::from_secs(20);

/// Looks for an execution in which every thread goes the way that was recorded, or a part of it, up to the failure `goal`. Those with
/// more than `most` preemptions do not count.
pub fn reproduce(
    program: &Program,
    ways: Ways,
    goal: Goal,
    most: Option<u32>,
    options: Options,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Summary, Error> {
    let limits = Limits { start: Instant::now(), time: options.time, interrupt: options.interrupt.clone() };
    let facts = Facts::new(program);
    let case = Case { program, facts: &facts, ways: &ways, goal: &goal, memory: options.memory };
    let found = match case.memory {
        MemoryModel::Sc => repair::search(case, &limits.within(MOST_TIME_TO_LEAD)),
        // What reaches memory when is in no log.
        MemoryModel::Tso | MemoryModel::Pso => None,
    };
    let mut summary = match found {
        Some(Found { execution, before: Some(failure) }) => {
            // It has all the time that there is, unless there is something else to be said.
            let time = Some(limits.left().map_or(MOST_TIME_TO_PROVE, |left| left / 2));
            let summary = search(case, None, most, &Options { time, ..options.clone() }, &limits, progress)?;
            match summary.bugs.is_empty() {
                false => summary,
                true => {
                    let goal = Goal::earlier(&failure);
                    search(Case { goal: &goal, ..case }, Some(execution), most, &options, &limits, progress)?
                }
            }
        }
        found => search(case, found.map(|found| found.execution), most, &options, &limits, progress)?,
    };
    summary.assumptions.push("every thread goes the way that was recorded, or a part of it".to_owned());
    summary
        .assumptions
        .push("an index that was not logged stays inside its object, unless the thread faulted".to_owned());
    Ok(summary)
}

/// An execution along the recording that ends as it did, if leading a machine along its times finds one; nothing is made of it.
pub fn lead_again(program: &Program, ways: &Ways, goal: &Goal, options: &Options) -> Option<Execution> {
    let limits = Limits { start: Instant::now(), time: options.time, interrupt: options.interrupt.clone() };
    let facts = Facts::new(program);
    let case = Case { program, facts: &facts, ways, goal, memory: options.memory };
    let found = repair::search(case, &limits.within(MOST_TIME_TO_LEAD))?;
    found.before.is_none().then_some(found.execution)
}

/// Looks for the execution with the fewest preemptions, beginning with one that fails if one is known.
fn search(
    case: Case<'_, '_>,
    found: Option<Execution>,
    most: Option<u32>,
    options: &Options,
    limits: &Limits,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Summary, Error> {
    let Case { program, facts, ways, goal, .. } = case;
    let Led { execution, at_least } = lead(case, found, most, options.jobs, limits);
    // Some threads may have been stuck for good, and others not: of that, only the solver knows.
    let at_least = if execution.is_none() && goal.is_stuck() { 0 } else { at_least };
    let mut summary = match execution {
        _ if most.is_some_and(|most| at_least > most) => nothing("", limits.stopped()),
        Some(execution) => {
            let found = ordain_vm::switches(program, facts, &execution);
            if at_least < found.preemptions && execution.points() <= MOST_POINTS && goal.status.is_none() {
                let time = Some(limits.left().unwrap_or(MOST_TIME_TO_PROVE));
                ask(case, Options { time, ..options.clone() }, Some(execution), progress)?
            } else {
                let fewest = Fewest { found, at_least, fewest_switches: false };
                without_solver(case, execution, fewest, limits.stopped())
            }
        }
        None if ways.tapes.values().map(|tape| tape.branches_besides_waiting()).sum::<usize>() > MOST_BRANCHES => {
            nothing("the recorded run is too long for the solver", limits.stopped())
        }
        None if goal.status.is_some() => nothing("the solver is not asked about exit statuses", limits.stopped()),
        None => {
            let time = [options.time, limits.left()].into_iter().flatten().min();
            ask(case, Options { time, ..options.clone() }, None, progress)?
        }
    };
    if let Some(fewest) = &mut summary.fewest {
        // Solver and machines differ in which rounds of waiting they leave out: of a run with such rounds the solver's bound is none, and
        // where it finds fewer preemptions than machines can do with, theirs is none.
        if ways.tapes.values().any(|tape| tape.has_waited()) {
            (fewest.at_least, fewest.fewest_switches) = (0, false);
        }
        if at_least <= fewest.found.preemptions {
            fewest.at_least = fewest.at_least.max(at_least);
        }
    }
    if let Some(most) = most {
        summary = with_at_most(summary, most, at_least);
    }
    Ok(summary)
}

/// How long everything may take.
struct Limits {
    start: Instant,
    time: Option<Duration>,
    interrupt: Interrupt,
}

impl Limits {
    fn is_over(&self) -> bool {
        self.interrupt.is_raised() || self.time.is_some_and(|time| self.start.elapsed() >= time)
    }

    fn left(&self) -> Option<Duration> {
        self.time.map(|time| time.saturating_sub(self.start.elapsed()))
    }

    fn stopped(&self) -> Option<Stopped> {
        match self.interrupt.is_raised() {
            true => Some(Stopped::Interrupt),
            false => self.is_over().then_some(Stopped::Time),
        }
    }

    /// Whether it is time to give up something that is begun now. It should not take longer than this, or half of the time that is
    /// left if somebody has said how long everything may take.
    fn within(&self, most: Duration) -> impl Fn() -> bool {
        let begun = Instant::now();
        let most = self.left().map_or(most, |left| left / 2);
        move || self.interrupt.is_raised() || begun.elapsed() >= most
    }
}

/// What is known without the solver.
struct Led {
    /// An execution that fails along the recording, with the fewest preemptions that are known.
    execution: Option<Execution>,
    /// It takes so many preemptions at least.
    at_least: u32,
}

/// The same, if what was found has no more than so many preemptions; else it is said what is known.
fn with_at_most(summary: Summary, most: u32, at_least: u32) -> Summary {
    let found = summary.fewest.map(|fewest| fewest.found.preemptions);
    if found.is_some_and(|found| found <= most) {
        return summary;
    }
    let at_least = summary.fewest.map_or(at_least, |fewest| fewest.at_least);
    let sure = match (at_least > most, found) {
        (true, _) => "that is proved".to_owned(),
        (false, Some(found)) => format!("none was found, one with {found} was"),
        (false, None) => "none was found".to_owned(),
    };
    let plural = if most == 1 { "" } else { "s" };
    let why = format!("no schedule of the recorded paths with at most {most} preemption{plural} fails so: {sure}");
    Summary { statistics: summary.statistics, runs: summary.runs, ..nothing(&why, None) }
}

/// Rearranges a run that fails, if one is known, and goes through those that might do with fewer preemptions: at the same time, if there
/// are several jobs.
fn lead(case: Case<'_, '_>, found: Option<Execution>, most: Option<u32>, jobs: usize, limits: &Limits) -> Led {
    let count = |execution: &Execution| ordain_vm::switches(case.program, case.facts, execution).preemptions;
    let enough = most.map_or(u32::MAX, |most| most.saturating_add(1));
    let bounds = Bounds::below(found.as_ref().map_or(MOST_PREEMPTIONS, count).min(enough));
    // With store buffers this is also how a run is found.
    let time = if case.memory == MemoryModel::Sc { MOST_TIME_TO_PROVE } else { MOST_TIME_TO_LEAD };
    let try_bounds = || bounds.try_all(case, &limits.within(time));
    let shorter = std::thread::scope(|scope| {
        for _ in 1..jobs {
            scope.spawn(try_bounds);
        }
        let shorter = found.map(|execution| {
            let gathered = gather::gather(case, &execution, &limits.within(MOST_TIME_TO_SHORTEN));
            shorten::shorten(case, gathered.unwrap_or(execution), &limits.within(MOST_TIME_TO_SHORTEN))
        });
        shorter.iter().for_each(|execution| bounds.note(count(execution)));
        try_bounds();
        shorter
    });
    let (at_least, better) = bounds.result();
    let is_better = |number: u32| shorter.as_ref().is_none_or(|execution| number < count(execution));
    let better = better.filter(|&(number, _)| is_better(number)).map(|(_, execution)| execution);
    Led { execution: better.or(shorter), at_least }
}

/// Asks the solver: for an execution that fails, if none is known, and for one with as few preemptions as can be.
fn ask(
    case: Case<'_, '_>,
    options: Options,
    known: Option<Execution>,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Summary, Error> {
    let Goal { thread, kinds, place, .. } = case.goal.clone();
    let faulting = kinds.contains(&FailureKind::Bounds).then(|| thread.clone());
    let script = Arc::new(Script { faulting, ..case.ways.script.clone() });
    let effort = options.effort.or(known.as_ref().map(|_| EFFORT));
    let check = kinds.clone();
    let recorded = Some(Recorded { script, known, aim: Aim::Failure(Aimed { thread, kinds, place }), focus: None });
    ordain_explore::explore(case.program, &Options { check, recorded, effort, jobs: 1, ..options }, progress)
}

/// What is known if nothing was found.
fn nothing(why: &str, stopped: Option<Stopped>) -> Summary {
    Summary {
        verdict: Verdict::Unknown(why.to_owned()),
        stopped,
        runs: 0,
        paths: None,
        bugs: Vec::new(),
        regions: Regions::default(),
        fewest: None,
        assumptions: Vec::new(),
        coverage: Vec::new(),
        unproved: Vec::new(),
        statistics: Statistics::default(),
    }
}

/// What is known of an execution without asking the solver.
fn without_solver(case: Case<'_, '_>, execution: Execution, fewest: Fewest, stopped: Option<Stopped>) -> Summary {
    let mut stage = Stage::new(case);
    let _ = execution.schedule.iter().all(|turn| stage.take(turn));
    let failure = failure_of(&stage, case.goal);
    let (bugs, fewest) = (vec![Bug { failure, execution }], Some(fewest));
    Summary { verdict: Verdict::Bug, runs: 1, bugs, fewest, ..nothing("", stopped) }
}

/// How a run ended that ended as recorded.
fn failure_of(stage: &Stage<'_, '_>, goal: &Goal) -> Failure {
    match stage.machine.end() {
        Some(End::Failed(failure)) => failure.clone(),
        _ => {
            let place = Place { file: "<unknown>".to_owned(), line: 0 };
            let message = format!("the program ended with status {}", goal.status.unwrap_or_default());
            let (thread, kind) = (goal.thread.clone(), FailureKind::Assertion);
            Failure { kind, thread, place, others: Vec::new(), message, stack: Vec::new() }
        }
    }
}
