//! Running a program in the machine: under a scheduler, or as a witness says. Runs are recorded unless they turn out long.

use crate::error::CommandError;
use crate::subject::Subject;
use ordain_model::failure::{Failure, FailureKind};
use ordain_model::memory::AddressBook;
use ordain_model::witness::{Claim, Execution, MemoryModel, PathHash};
use ordain_vm::schedulers::{self, Divergence, Follow, Outcome, Scheduler};
use ordain_vm::{Config, End, Inputs, Machine, Outside, RaceMode};
use std::cell::RefCell;
use std::rc::Rc;

/// A run that goes on for longer than this many points is taken for endless.
const MOST_POINTS: u64 = 1_000_000_000_000;
/// Of a run that is longer nobody wants to see every point, and it should be quick.
const MOST_RECORDED: u64 = 200_000;

/// A run that is over, with its log.
pub struct Playback<'s> {
    pub machine: Machine<'s>,
    pub outcome: Outcome,
    divergence: Option<Divergence>,
}

/// Lets the machine follow `execution` from its start to its last turn.
pub fn follow<'s>(
    subject: &'s Subject,
    execution: &Execution,
    outside: &Outside,
) -> Result<Playback<'s>, CommandError> {
    follow_with(subject, execution, outside, Config::default())
}

/// The same, and keeps which way every thread goes: see [`Playback::path`].
pub fn follow_paths<'s>(
    subject: &'s Subject,
    execution: &Execution,
    outside: &Outside,
) -> Result<Playback<'s>, CommandError> {
    follow_with(subject, execution, outside, Config { branches: true, ..Config::default() })
}

fn follow_with<'s>(
    subject: &'s Subject,
    execution: &Execution,
    outside: &Outside,
    config: Config,
) -> Result<Playback<'s>, CommandError> {
    // Of threads that get stuck one after the other, the claim may be about the later ones.
    let config = Config { memory: execution.memory, stop_when_stuck: false, ..config };
    let mut machine = machine(subject, config, Inputs::of(execution), outside)?;
    let mut follow = Follow::new(&execution.schedule);
    let points = execution.points();
    if points > MOST_RECORDED {
        // What is claimed comes last, so that is what has to be recorded.
        let recorded = *machine.config();
        machine = machine.begin_here(Config { record: false, races: RaceMode::Off, ..recorded }, None);
        schedulers::run(&mut machine, &mut follow, points - MOST_RECORDED / 2);
        machine = machine.begin_here(recorded, None);
    }
    let outcome = drive(&mut machine, &mut follow);
    let divergence = follow.divergence().cloned();
    Ok(Playback { machine, outcome, divergence })
}

pub fn run<'s>(
    subject: &'s Subject,
    memory: MemoryModel,
    inputs: Inputs,
    outside: &Outside,
    by: &mut dyn Scheduler,
) -> Result<Playback<'s>, CommandError> {
    let mut machine = machine(subject, Config { memory, ..Config::default() }, inputs, outside)?;
    let outcome = drive(&mut machine, by);
    Ok(Playback { machine, outcome, divergence: None })
}

fn drive(machine: &mut Machine, scheduler: &mut dyn Scheduler) -> Outcome {
    match schedulers::run(machine, scheduler, MOST_RECORDED) {
        Outcome::Limit => {
            machine.stop_recording();
            schedulers::run(machine, scheduler, MOST_POINTS)
        }
        outcome => outcome,
    }
}

fn machine<'s>(
    subject: &'s Subject,
    config: Config,
    inputs: Inputs,
    outside: &Outside,
) -> Result<Machine<'s>, CommandError> {
    let config = Config { races: RaceMode::Full, record: true, reuse_stack: true, ..config };
    let book = Rc::new(RefCell::new(AddressBook::for_one_run(&subject.loaded.program)));
    let mut machine = Machine::new(&subject.loaded.program, &subject.facts, config, book);
    machine.provide_inputs(inputs);
    let refused = |e| CommandError::Input(format!("{}: {e}; nothing can be granted that is not there", paths(outside)));
    machine.connect(outside).map_err(refused)?;
    Ok(machine)
}

fn paths(outside: &Outside) -> String {
    outside.grants.iter().map(|grant| grant.path.display().to_string()).collect::<Vec<_>>().join(", ")
}

impl Playback<'_> {
    /// Everything that went wrong in the run. Neither races nor stuck threads end it, so there may be several.
    pub fn failures(&self) -> Vec<Failure> {
        let mut failures = self.machine.races().to_vec();
        failures.extend_from_slice(self.machine.stuck());
        if let Some(End::Failed(failure)) = self.machine.end()
            && !failures.contains(failure)
        {
            failures.push(failure.clone());
        }
        failures
    }

    /// How many points were executed.
    pub fn points(&self) -> u64 {
        self.machine.thread_ids().map(|thread| self.machine.points(thread)).sum()
    }

    /// Whether what is claimed came true in the run.
    pub fn shows(&self, claim: &Claim) -> bool {
        match claim {
            Claim::Failure(failure) => self.failure_as(failure).is_some(),
            Claim::Exit { status } => self.divergence.is_none() && self.exit_status() == Some(*status),
        }
    }

    /// The paths that the threads took, if they were kept.
    pub fn path(&self) -> PathHash {
        let branches = |thread| {
            let branches = self.machine.branches(thread).iter();
            branches.map(|b| [b.function.0, b.pc.0, b.to.0]).collect()
        };
        let machine = &self.machine;
        PathHash::of(&machine.thread_ids().map(|t| (machine.name(t), branches(t))).collect())
    }

    /// What went wrong in the run in the way of `claim`, with what only a run knows.
    pub fn failure_as(&self, claim: &Failure) -> Option<Failure> {
        if self.divergence.is_some() {
            return None;
        }
        let matching = |failure: &Failure| failure.same_claim(claim);
        let split = || self.machine.shows_split(claim).then(|| claim.clone());
        // Of two lines, a run shows one race, between whichever threads came first.
        let same_race = |failure: &Failure| claim.kind == FailureKind::Race && failure.same_places(claim);
        let failures = self.failures();
        let same = failures.iter().find(|f| matching(f)).or_else(|| failures.iter().find(|f| same_race(f)));
        same.cloned().or_else(split)
    }

    /// The end of the run in words, for when it was not the one expected.
    pub fn describe_end(&self) -> String {
        if let Some(divergence) = &self.divergence {
            return divergence.to_string();
        }
        match (&self.outcome, self.machine.races().first()) {
            (Outcome::Ended(End::Failed(failure)), _) => {
                format!("{} at {} in thread {}: {}", failure.kind, failure.place, failure.thread, failure.message)
            }
            (_, Some(race)) => format!("only a {} at {}: {}", FailureKind::Race, race.place, race.message),
            (Outcome::Ended(End::Exit(status)), _) => format!("the program ended with status {status}"),
            (Outcome::Ended(End::AssumeViolated), _) => "an assumption of the program does not hold".to_owned(),
            (Outcome::Ended(End::Unsupported { what, place }), _) => format!("unsupported at {place}: {what}"),
            (Outcome::Limit, _) => format!("no end after {MOST_POINTS} points"),
            (Outcome::Stopped, _) => "the schedule is over and nothing failed".to_owned(),
        }
    }

    /// The program's own, if it ended by itself.
    pub fn exit_status(&self) -> Option<i32> {
        match self.machine.end() {
            Some(End::Exit(status)) => Some(*status),
            _ => None,
        }
    }

    /// What the machine has no meaning for, as an error.
    pub fn check_supported(&self) -> Result<(), CommandError> {
        match self.machine.end() {
            Some(End::Unsupported { what, place }) => {
                Err(CommandError::Unsupported(format!("unsupported at {place}: {what}")))
            }
            _ => Ok(()),
        }
    }
}
