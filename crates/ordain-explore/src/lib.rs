//! `explore`: all schedules, all inputs.
//!
//! The forest holds what is known of every thread. As long as the solver finds an execution that stays inside the forest
//! and then takes a step nobody has seen, that execution is run, which makes the forest grow. When there is none, every
//! path that the program can take is in the forest: an execution that leaves it has a first step that does. What is
//! asked then, over the same model, are the things that are not paths: races, threads that are stuck.
//!
//! Everything the solver finds is executed in the machine before it counts; where the machine does otherwise, the model
//! is wrong, and that is an internal error.

mod ask;
mod atomicity;
mod audit;
mod clock;
mod conclusion;
mod counting;
mod coverage;
mod fewest;
mod fixpoint;
mod focus;
mod follow;
mod guide;
mod paths;
mod resume;
mod search;
mod team;
mod unproved;

pub use clock::{Interrupt, Stopped};
pub use coverage::FileCoverage;
pub use fewest::Fewest;
pub use focus::{Focus, Line};
/// Path classes are a product over threads, and soon more than any machine word can count.
pub use num_bigint::BigUint as Count;
pub use unproved::{Unproved, UnprovedKind};

use ordain_ir::facts::Facts;
use ordain_ir::program::{FuncId, Program};
use ordain_model::failure::{Failure, FailureKind, Place};
use ordain_model::names::ThreadName;
use ordain_model::witness::{Execution, MemoryModel};
use ordain_unfold::Script;
use ordain_vm::Machine;
use std::sync::Arc;
use std::time::Duration;

#[derive(Clone, Debug)]
pub struct Options {
    pub memory: MemoryModel,
    /// What counts as a bug.
    pub check: Vec<FailureKind>,
    /// What is wanted of path classes, if anything is: then every branch is kept apart.
    pub paths: Option<Paths>,
    /// Stop at the first bug.
    pub first: bool,
    pub unroll: Option<u32>,
    /// Waits for a condition may end without a signal.
    pub spurious: bool,
    /// How many random runs must fit the model after a verdict of `Safe`.
    pub audit: u32,
    pub time: Option<Duration>,
    /// Conflicts that one question may cost the solver.
    pub effort: Option<u64>,
    /// How many searches share the work, each in a thread of its own.
    pub jobs: usize,
    /// Count as bugs only what the solver was asked for and found, not what runs show besides. Nobody wants that but tests of
    /// the model: what it lacks is mostly shown by some run all the same.
    pub only_asked: bool,
    /// Raise it, and the search ends with what is known.
    pub interrupt: Interrupt,
    /// Look only along a recorded run.
    pub recorded: Option<Recorded>,
}

/// A recorded run: the way its threads went, and what is looked for along these ways.
#[derive(Clone, Debug)]
pub struct Recorded {
    pub script: Arc<Script>,
    /// An execution along these ways, if one is known. If a failure is looked for, it fails so.
    pub known: Option<Execution>,
    pub aim: Aim,
    /// Of a part of a run, what it was chosen for, if that is all that is asked.
    pub focus: Option<Focus>,
}

#[derive(Clone, Debug)]
pub enum Aim {
    /// The failure of the recorded run.
    Failure(Aimed),
    /// Everything that can go wrong when the same events happen in another order, with these regions that should be atomic.
    Anything(Vec<Region>),
}

/// One failure.
#[derive(Clone, Debug)]
pub struct Aimed {
    pub thread: ThreadName,
    /// What is called by one name natively may be several things to the machine.
    pub kinds: Vec<FailureKind>,
    /// Where it failed, if that is known.
    pub place: Option<Place>,
}

impl Aimed {
    /// Whether a failure of a run is this one. Of threads that are stuck, nobody is the one that failed.
    fn is_about(&self, failure: &Failure) -> bool {
        let is_it = || failure.thread == self.thread && self.is_at(&failure.place);
        self.kinds.contains(&failure.kind) && (failure.kind.is_stuck() || is_it())
    }

    fn is_at(&self, place: &Place) -> bool {
        self.place.as_ref().is_none_or(|known| known == place)
    }
}

/// A part of what a thread did in the known execution that may be meant to be atomic: the points from `first` up to, and without, `end`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Region {
    pub thread: ThreadName,
    pub first: u64,
    pub end: u64,
    pub scope: Scope,
}

/// Which accesses of a region belong together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// All of them: somebody has said so.
    Marked,
    /// A call of this function: those that look as if they were meant to.
    Function(FuncId),
}

impl Recorded {
    /// The failure that is looked for, if it is one.
    fn aimed(&self) -> Option<&Aimed> {
        match &self.aim {
            Aim::Failure(aimed) => Some(aimed),
            Aim::Anything(_) => None,
        }
    }

    fn is_about(&self, failure: &Failure) -> bool {
        self.aimed().is_none_or(|aimed| aimed.is_about(failure))
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            memory: MemoryModel::Sc,
            check: FailureKind::ALL.to_vec(),
            paths: None,
            first: false,
            unroll: None,
            spurious: true,
            audit: 0,
            time: None,
            effort: None,
            jobs: 1,
            only_asked: false,
            interrupt: Interrupt::default(),
            recorded: None,
        }
    }
}

/// What to do about path classes: the executions in which every thread takes the same decisions are one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Paths {
    /// Run one execution of each.
    Run,
    /// Only say how many there are.
    Count,
}

/// The path classes of a program; of a search that was stopped, some of them.
#[derive(Clone, PartialEq, Debug)]
pub enum Classes {
    /// One execution of each.
    Run(Vec<Execution>),
    Counted(Count),
}

impl Classes {
    pub fn number(&self) -> Count {
        match self {
            Classes::Run(executions) => Count::from(executions.len()),
            Classes::Counted(count) => count.clone(),
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Nothing can go wrong, in any schedule, for any input.
    Safe,
    Bug,
    /// Nothing was found up to a bound.
    Bounded(String),
    /// Not everything could be looked at.
    Unknown(String),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Bug {
    pub failure: Failure,
    /// An execution that shows it, which has been run again.
    pub execution: Execution,
}

#[derive(Clone, Debug, Default)]
pub struct Statistics {
    pub queries: u64,
    pub satisfiable: u64,
    pub events: usize,
    pub nodes: usize,
    pub rounds: u32,
    /// How often the model was built anew because memory turned out to be shared.
    pub restarts: u32,
    pub audited: u32,
    /// Runs of an earlier search that were run again.
    pub resumed: u32,
}

impl Statistics {
    /// Those of another search, too.
    pub fn add(&mut self, other: &Statistics) {
        let Statistics { queries, satisfiable, events, nodes, rounds, restarts, audited, resumed } = other;
        self.queries += queries;
        self.satisfiable += satisfiable;
        self.events += events;
        self.nodes += nodes;
        self.rounds += rounds;
        self.restarts += restarts;
        self.audited += audited;
        self.resumed += resumed;
    }
}

#[derive(Clone, Debug)]
pub struct Summary {
    pub verdict: Verdict,
    /// Why the search ended before everything was asked, if it did: then there may be more bugs than were found.
    pub stopped: Option<Stopped>,
    /// Executions in the machine that the search needed.
    pub runs: u32,
    /// If asked for.
    pub paths: Option<Classes>,
    pub bugs: Vec<Bug>,
    /// Of a prediction, what came of looking at regions that should be atomic.
    pub regions: Regions,
    /// Of a recorded run, how few preemptions its failure takes.
    pub fewest: Option<Fewest>,
    /// What the verdict rests on.
    pub assumptions: Vec<String>,
    /// Lines that runs have executed, by file.
    pub coverage: Vec<FileCoverage>,
    /// What stays open, unless the verdict is `Safe`.
    pub unproved: Vec<Unproved>,
    pub statistics: Statistics,
}

/// What came of looking at regions that should be atomic. Those that differ only in which time round a loop it was count once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Regions {
    /// Three accesses that might come in an order that no region in one piece has.
    pub candidates: u32,
    /// Those that can, and it makes a difference.
    pub violations: u32,
    /// The same of two accesses to different memory, and two of another thread.
    pub joint: u32,
    /// How often it made none.
    pub benign: u32,
    /// Those that took the solver too long.
    pub undecided: u32,
}

impl Regions {
    /// Those of another search, too.
    pub fn add(&mut self, other: Regions) {
        self.candidates += other.candidates;
        self.violations += other.violations;
        self.joint += other.joint;
        self.benign += other.benign;
        self.undecided += other.undecided;
    }
}

/// Where the search is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    pub runs: u32,
    pub open: usize,
    pub queries: u64,
    pub bugs: usize,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The machine did not do what the model said, or the other way round. Never the user's fault.
    #[error("the model and the machine disagree: {0}")]
    Diverged(String),
    /// What came of a run could not be written down, or a run that was cannot be made again.
    #[error("{0}")]
    Journal(String),
    #[error("cannot start a thread for --jobs: {0}")]
    Threads(String),
    /// Of several searches that share the work another one has ended, which has more to say about it.
    #[error("the search was given up")]
    Abandoned,
}

/// Where a search is written down, so that another can go on from there.
pub struct Journal<'j> {
    /// The runs that an earlier search has made, in its order. They are run again, and not looked for.
    pub earlier: Vec<Execution>,
    /// Called with every other run as soon as it has been made.
    pub record: Record<'j>,
}

/// Says why, if a run cannot be written down.
pub type Record<'j> = Box<dyn FnMut(&Execution) -> Result<(), String> + 'j>;

impl Default for Journal<'_> {
    /// Nothing is written down.
    fn default() -> Self {
        Journal { earlier: Vec::new(), record: Box::new(|_| Ok(())) }
    }
}

/// Explores a program until nothing is left, or the time is over.
pub fn explore(program: &Program, options: &Options, progress: &mut dyn FnMut(&Progress)) -> Result<Summary, Error> {
    resume(program, options, Journal::default(), progress)
}

/// Explores what can happen from where a machine is, besides what is known. What it finds are executions that begin there.
pub fn explore_from<'p>(
    scene: Machine<'p>,
    facts: &'p Facts,
    options: &'p Options,
    known: &[Bug],
    progress: &mut dyn FnMut(&Progress),
) -> Result<Summary, Error> {
    let mut search = search::Search::in_scene(scene, facts, options);
    search.bugs.extend_from_slice(known);
    let mut summary = search.run(progress)?;
    summary.bugs.drain(..known.len());
    Ok(summary)
}

/// The same, from where an earlier search has come to.
pub fn resume(
    program: &Program,
    options: &Options,
    journal: Journal<'_>,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Summary, Error> {
    let facts = Facts::new(program);
    team::search(program, &facts, options, journal, progress)
}
