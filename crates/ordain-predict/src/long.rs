//! Long runs, in windows.
//!
//! What may go wrong anywhere in the run is known from one pass over it (`filter`), by source lines and with the stretches of the run that
//! show it. Around these stretches windows are laid (`plan`), each as large as its stretch needs, so that few of them have all
//! candidates. Then the run is followed once more, and where a window begins the machine is handed to a search of its own (`Window`).
//! Candidates of which a window has shown nothing get another attempt, elsewhere in the run.

use crate::filter::{Candidate, Kind};
use crate::omission;
use crate::plan::{Laid, plan};
use crate::run::Run;
use crate::window::Window;
use ordain_explore::{Bug, Error, Options, Progress, Statistics, Stopped, Summary, Unproved, UnprovedKind, Verdict};
use ordain_ir::facts::Facts;
use ordain_ir::program::{Location, Program};
use ordain_model::failure::{Failure, FailureKind, Place};
use ordain_model::witness::Execution;
use ordain_vm::schedulers::{self, Follow};
use ordain_vm::{Config, Inputs, Machine};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// How often a candidate is looked at, each time elsewhere in the run.
const ATTEMPTS: usize = 2;
/// Conflicts that a question may cost, unless somebody says otherwise: there are many windows.
const EFFORT: u64 = 1_500;
/// What one window may take.
const MOST_TIME: Duration = Duration::from_secs(5);

/// What came of the windows of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Windows {
    pub windows: u32,
    /// Points of the largest.
    pub largest: u64,
    /// Candidates of the filter, and those whose events are too far apart for any window.
    pub candidates: u32,
    pub out_of_reach: u32,
    /// Windows that were not looked at to their end.
    pub unfinished: u32,
    /// Windows in which the solver has found something that the machine does not do, and candidates that should have shown in an
    /// execution that leaves out a part of the run.
    pub unconfirmed: u32,
    /// Bugs that were found by leaving out a part of the run, and passes over it that did not try everything.
    pub by_omission: u32,
    pub cut_short: u32,
    pub time_of_omission: Duration,
}

/// Looks for everything that could have gone wrong in a long run.
pub(crate) fn predict(
    program: &Program,
    run: &Run,
    options: &Options,
    progress: &mut dyn FnMut(&Progress),
) -> Result<(Summary, Windows), Error> {
    let facts = Facts::new(program);
    let deadline = options.time.map(|time| Instant::now() + time);
    let mut long = Long { program, facts: &facts, run, options, deadline, found: Found::default() };
    let mut open: Vec<usize> = (0..run.candidates.len()).filter(|&c| long.is_asked_for(c)).collect();
    long.found.windows.candidates = open.len() as u32;
    let begun = Instant::now();
    let found = omission::find(program, &facts, run, options, &open, progress);
    long.found.windows.time_of_omission = begun.elapsed();
    long.found.windows.by_omission = found.bugs.len() as u32;
    long.found.windows.unconfirmed = found.unconfirmed;
    long.found.windows.cut_short = found.cut_short;
    (long.found.bugs, long.found.runs, long.found.stopped) = (found.bugs, found.runs, found.stopped);
    open.retain(|&c| !long.is_settled(&run.candidates[c]));
    for attempt in 0..ATTEMPTS {
        let plan = plan(&run.candidates, &open, attempt, run.points);
        if attempt == 0 {
            long.found.windows.out_of_reach = plan.out_of_reach;
        }
        long.follow(&plan.windows, progress)?;
        open.retain(|&c| !long.is_settled(&run.candidates[c]));
        if open.is_empty() || long.found.stopped.is_some() {
            break;
        }
    }
    Ok(long.found.conclude(run.dropped))
}

struct Long<'a, 'p> {
    program: &'p Program,
    facts: &'p Facts,
    run: &'a Run,
    options: &'a Options,
    deadline: Option<Instant>,
    found: Found,
}

#[derive(Default)]
struct Found {
    bugs: Vec<Bug>,
    unproved: BTreeSet<Unproved>,
    assumptions: Vec<String>,
    statistics: Statistics,
    regions: ordain_explore::Regions,
    runs: u32,
    windows: Windows,
    stopped: Option<Stopped>,
}

impl<'p> Long<'_, 'p> {
    /// Whether anybody wants to know of what this may come to.
    fn is_asked_for(&self, candidate: usize) -> bool {
        kinds(self.run.candidates[candidate].kind).iter().any(|kind| self.options.check.contains(kind))
    }

    fn is_settled(&self, candidate: &Candidate) -> bool {
        is_settled(self.program, candidate, &self.found.bugs)
    }

    /// Follows the run from its start, and looks at these windows, which are in its order.
    fn follow(&mut self, windows: &[Laid], progress: &mut dyn FnMut(&Progress)) -> Result<(), Error> {
        let config = Config { stop_when_stuck: false, ..Config::default() };
        let mut machine = Machine::alone(self.program, self.facts, config);
        machine.provide_inputs(Inputs::of(&self.run.execution));
        let mut follow = Follow::new(&self.run.execution.schedule);
        let mut done = 0;
        for laid in windows {
            schedulers::run(&mut machine, &mut follow, laid.first.saturating_sub(done));
            // Nobody else could do anything before the section is over.
            while !machine.is_outside_atomic_sections() && machine.end().is_none() {
                schedulers::run(&mut machine, &mut follow, 1);
            }
            done = machine.thread_ids().map(|thread| machine.points(thread)).sum();
            if machine.end().is_some() || self.found.stopped.is_some() {
                return Ok(());
            }
            self.look_at(&machine, &follow, laid, progress)?;
        }
        Ok(())
    }

    fn look_at(
        &mut self,
        machine: &Machine<'p>,
        follow: &Follow<'_>,
        laid: &Laid,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<(), Error> {
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if left == Some(Duration::ZERO) {
            self.found.stopped = Some(Stopped::Time);
            return Ok(());
        }
        let looked_for =
            |kind: &FailureKind| !is_filtered(*kind) || laid.kinds.iter().any(|k| kinds(*k).contains(kind));
        let options = Options {
            check: self.options.check.iter().copied().filter(looked_for).collect(),
            effort: self.options.effort.or(Some(EFFORT)),
            time: Some(left.map_or(MOST_TIME, |left| left.min(MOST_TIME))),
            ..self.options.clone()
        };
        let inputs = Inputs::of(&self.run.execution);
        let scene = machine.clone();
        let window = Window::new(scene, self.facts, inputs, &mut follow.clone(), laid.points, self.run.which);
        let (bugs, queries) = (self.found.bugs.len(), self.found.statistics.queries);
        let mut tell = |window: &Progress| {
            progress(&Progress { queries: queries + window.queries, bugs: bugs + window.bugs, ..*window });
        };
        let predicted = window.predict(self.facts, &options, &self.found.bugs, &mut tell);
        self.found.windows.windows += 1;
        self.found.windows.largest = self.found.windows.largest.max(laid.points);
        match predicted {
            Ok(summary) => self.take_in(machine, summary, left),
            // An answer that the machine does not run: nothing of this window counts, and that is said.
            Err(Error::Diverged(what)) => {
                self.found.windows.unconfirmed += 1;
                let why = format!("the model and the machine disagree in the window from point {}: {what}", laid.first);
                self.found.unproved.insert(Unproved { kind: UnprovedKind::Unsupported, place: None, why });
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn take_in(&mut self, machine: &Machine<'p>, summary: Summary, left: Option<Duration>) {
        let found = &mut self.found;
        let is_new = |bug: &Bug| !found.bugs.iter().any(|known| is_same(&known.failure, &bug.failure));
        let new: Vec<Bug> = summary.bugs.into_iter().filter(is_new).collect();
        if !new.is_empty() {
            let before = machine.execution();
            let whole = |bug: Bug| Bug { execution: after(&before, bug.execution), ..bug };
            found.bugs.extend(new.into_iter().map(whole));
        }
        found.unproved.extend(summary.unproved);
        found.runs += summary.runs;
        found.statistics.add(&summary.statistics);
        found.regions.add(summary.regions);
        found.assumptions = summary.assumptions;
        match summary.stopped {
            Some(Stopped::Time) if left.is_none_or(|left| left > MOST_TIME) => found.windows.unfinished += 1,
            stopped => found.stopped = stopped,
        }
    }
}

impl Found {
    /// `forgotten`: how much of the run the filter had no room for.
    fn conclude(self, forgotten: u64) -> (Summary, Windows) {
        let Windows { windows, largest, out_of_reach, unfinished, unconfirmed, .. } = self.windows;
        let mut assumptions = self.assumptions;
        assumptions.push(format!(
            "what is further apart than a window reaches has nothing to do with each other: {windows} windows of up to \
             {largest} points were looked at, {out_of_reach} candidates were in none"
        ));
        assumptions.push(
            "pointers that threads read from each other, other than by atomic loads, are those of the run".to_owned(),
        );
        assumptions.push(
            "of accesses at the same lines, in a window, those next to each other in the run stand for all".to_owned(),
        );
        assumptions.push("nothing is uninitialised".to_owned());
        if forgotten > 0 {
            assumptions.push(format!("{forgotten} accesses that the filter had no room for go well"));
        }
        let verdict = match (self.bugs.is_empty(), self.stopped, unfinished) {
            (false, ..) => Verdict::Bug,
            (true, Some(stopped), _) => Verdict::Unknown(stopped.reason().to_owned()),
            (true, None, _) if unconfirmed > 0 => {
                Verdict::Unknown(format!("{unconfirmed} times, what was found could not be replayed"))
            }
            (true, None, 0) => Verdict::Bounded("the run is long, and was looked at in windows".to_owned()),
            (true, None, _) => Verdict::Unknown(format!("{unfinished} windows took too long")),
        };
        let summary = Summary {
            verdict,
            stopped: self.stopped,
            runs: self.runs,
            paths: None,
            bugs: self.bugs,
            regions: self.regions,
            fewest: None,
            assumptions,
            coverage: Vec::new(),
            unproved: self.unproved.into_iter().collect(),
            statistics: self.statistics,
        };
        (summary, self.windows)
    }
}

/// Whether something was found at the places of a candidate.
pub(crate) fn is_settled(program: &Program, candidate: &Candidate, bugs: &[Bug]) -> bool {
    let place = |at: &Location| Place { file: program.files[at.file as usize].clone(), line: at.line };
    let mut places: Vec<Place> = candidate.places.iter().map(place).collect();
    places.sort();
    let is_there = |failure: &Failure| match candidate.kind {
        Kind::Wait | Kind::Locks => failure.kind.is_stuck() && places_of(failure).iter().any(|p| places.contains(p)),
        Kind::Lifetime => kinds(candidate.kind).contains(&failure.kind) && places.contains(&failure.place),
        Kind::Race | Kind::Atomicity => kinds(candidate.kind).contains(&failure.kind) && places_of(failure) == places,
    };
    bugs.iter().any(|bug| is_there(&bug.failure))
}

/// What a candidate may turn out to be.
fn kinds(kind: Kind) -> &'static [FailureKind] {
    match kind {
        Kind::Race => &[FailureKind::Race],
        Kind::Lifetime => &[FailureKind::UseAfterFree, FailureKind::DoubleFree],
        Kind::Locks | Kind::Wait => &[FailureKind::Deadlock, FailureKind::Hang],
        Kind::Atomicity => &[FailureKind::Atomicity],
    }
}

/// Whether the filter knows where this may be.
fn is_filtered(kind: FailureKind) -> bool {
    [Kind::Race, Kind::Lifetime, Kind::Locks, Kind::Atomicity].iter().any(|k| kinds(*k).contains(&kind))
}

fn places_of(failure: &Failure) -> Vec<Place> {
    let mut places: Vec<Place> = failure.others.iter().map(|(_, place)| place.clone()).collect();
    places.push(failure.place.clone());
    places.sort();
    places
}

/// Whether two failures are one to a person.
pub(crate) fn is_same(a: &Failure, b: &Failure) -> bool {
    a.kind == b.kind && places_of(a) == places_of(b)
}

/// An execution that goes on where another one ends.
pub(crate) fn after(before: &Execution, then: Execution) -> Execution {
    let schedule = before.schedule.iter().cloned().chain(then.schedule).collect();
    Execution { schedule, ..then }
}
