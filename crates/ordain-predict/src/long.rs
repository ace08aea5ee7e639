//! Long runs, in windows.
//!
//! What may go wrong anywhere in the run is known from one pass over it (`filter`), by source lines and with the stretches of the run that
//! show it. Around these stretches windows are laid (`plan`), each as large as its stretch needs, so that few of them have all
//! candidates. Then the run is followed once more, and where a window begins the machine is handed to a search of its own (`Window`).
//! Candidates of which a window has shown nothing get another attempt, elsewhere in the run.

use crate::filter::{Candidate, Kind, Span};
use crate::findings::{after, focus, is_settled, kinds};
use crate::fit::Costs;
use crate::omission;
use crate::plan::{Laid, has_window, plan};
use crate::run::{Run, empty_script};
use crate::window::Window;
use ordain_explore::{Bug, Error, Options, Progress, Statistics, Stopped, Summary, Unproved, UnprovedKind, Verdict};
use ordain_ir::facts::Facts;
use ordain_ir::program::Program;
use ordain_model::failure::FailureKind;
use ordain_unfold::Script;
use ordain_vm::schedulers::{self, Follow, Outcome};
use ordain_vm::{Config, Inputs, Interpreter, Machine};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// How often a candidate is looked at, each time in a larger window, and elsewhere in the run.
const ATTEMPTS: usize = 2;
/// Conflicts that a question may cost, unless somebody says otherwise: there are many windows.
pub(crate) const EFFORT: u64 = 1_500;
/// What one window may take, should all other limits fail: what is found must not depend on how fast the machine is. If there is a limit on
/// the whole, no window takes more than a part of what is left of that, or those that come first would leave nothing to others.
const MOST_TIME: Duration = Duration::from_secs(120);
const MOST_OF_TIME_LEFT: u32 = 8;
/// Windows of up to so many points come first: there are more answers in the same time.
const SMALL: u64 = 2_048;
/// What a window may cost (`fit`), unless the stretch that it is laid for costs more by itself; and what that may cost, and how
/// often threads may come there to what others come to as well: unfolding takes time, too.
const MOST_COST: u64 = 3_000;
const MOST_COST_OF_STRETCH: u64 = 20_000;
const MOST_SHARED_OF_STRETCH: usize = 1_000;

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
    /// Windows in which the solver has found something that the machine does not do.
    pub unconfirmed: u32,
    /// Candidates that should have shown in an execution that leaves out a part of the run, and executions that could not be made.
    pub not_shown: u32,
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
    let empty = empty_script(program, &facts);
    let mut long = Long { program, facts: &facts, empty, run, options, deadline, found: Found::default() };
    let mut open: Vec<usize> = (0..run.candidates.len()).filter(|&c| long.is_asked_for(c)).collect();
    long.found.windows.candidates = open.len() as u32;
    let begun = Instant::now();
    let known = omission::Known { program, facts: &facts, empty: &long.empty, run, options };
    let found = omission::find(known, &open, progress)?;
    long.found.windows.time_of_omission = begun.elapsed();
    long.found.windows.by_omission = found.bugs.len() as u32;
    long.found.windows.not_shown = found.unconfirmed + found.diverged;
    long.found.windows.cut_short = found.cut_short;
    (long.found.bugs, long.found.runs, long.found.stopped) = (found.bugs, found.runs, found.stopped);
    (long.found.regions, long.found.statistics) = (found.regions, found.statistics);
    open.retain(|&c| !long.is_settled(&run.candidates[c]));
    long.found.out_of_reach = open.iter().copied().filter(|&c| !has_window(&run.candidates[c])).collect();
    for attempt in 0..ATTEMPTS {
        if open.is_empty() || long.found.stopped.is_some() {
            break;
        }
        let windows = plan(&run.candidates, &open, attempt, run.points);
        let (small, large): (Vec<Laid>, Vec<Laid>) = windows.into_iter().partition(|laid| laid.points <= SMALL);
        long.follow(&small, progress)?;
        long.follow(&large, progress)?;
        open.retain(|&c| !long.is_settled(&run.candidates[c]));
    }
    Ok(long.found.conclude(run.dropped))
}

struct Long<'a, 'p> {
    program: &'p Program,
    facts: &'p Facts,
    /// What is known of every run.
    empty: Script,
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
    /// Candidates that were in a window, and those for which there is none.
    looked_at: BTreeSet<usize>,
    out_of_reach: BTreeSet<usize>,
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
        for laid in windows {
            go_to(&mut machine, &mut follow, laid.first);
            let costs = self.costs(&machine, &follow, laid);
            for part in self.parts(laid, &costs, points(&machine)) {
                if machine.end().is_some() || self.found.stopped.is_some() {
                    return Ok(());
                }
                let (mut scene, mut follow) = (machine.clone(), follow.clone());
                go_to(&mut scene, &mut follow, part.first);
                self.look_at(&scene, &follow, &part, progress)?;
            }
        }
        Ok(())
    }

    /// What the points of a window cost.
    fn costs(&self, machine: &Machine<'p>, follow: &Follow<'_>, laid: &Laid) -> Costs {
        let config = Config { interpreter: Interpreter::Plain, record: true, ..*machine.config() };
        let mut machine = machine.begin_here(config, None);
        machine.provide_inputs(Inputs::of(&self.run.execution));
        let _: Outcome = schedulers::run(&mut machine, &mut follow.clone(), laid.points);
        Costs::of(machine.log())
    }

    /// The windows that are looked at in a place where one was laid, which begins after `done` points: as large as they can be, with as many of
    /// the candidates in each as there is room for.
    fn parts(&mut self, laid: &Laid, costs: &Costs, done: u64) -> Vec<Laid> {
        let open = |&&(c, _): &&(usize, Span)| !self.is_settled(&self.run.candidates[c]);
        let mut candidates: Vec<(usize, Span)> = laid.candidates.iter().filter(open).copied().collect();
        candidates.sort_by_key(|&(_, span)| span);
        let points = |span: Span| {
            let [first, last] = [span.first, span.last].map(|at| at.saturating_sub(done + 1) as usize);
            first..last + 1
        };
        let mut parts: Vec<(Span, Vec<(usize, Span)>)> = Vec::new();
        for (c, span) in candidates {
            // It is among those that are in no window.
            if costs.of_points(points(span)) > MOST_COST_OF_STRETCH
                || costs.shared(points(span)) > MOST_SHARED_OF_STRETCH
            {
                self.found.out_of_reach.insert(c);
                continue;
            }
            self.found.looked_at.insert(c);
            let with = |other: Span| Span::around(&[other.first, other.last, span.first, span.last]);
            let has_room = |other: Span| {
                costs.of_points(points(with(other))) <= MOST_COST / 2
                    && costs.shared(points(with(other))) <= MOST_SHARED_OF_STRETCH
            };
            match parts.last_mut().filter(|(other, _)| has_room(*other)) {
                Some((other, inside)) => {
                    *other = with(*other);
                    inside.push((c, span));
                }
                None => parts.push((span, vec![(c, span)])),
            }
        }
        let part = |(span, candidates): (Span, Vec<(usize, Span)>)| {
            let fits = costs.fit(points(span), MOST_COST);
            Laid { first: done + fits.start as u64, points: (fits.end - fits.start) as u64, candidates }
        };
        parts.into_iter().map(part).collect()
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
        let candidates: Vec<&Candidate> = laid.candidates.iter().map(|&(c, _)| &self.run.candidates[c]).collect();
        let looked_for =
            |kind: &FailureKind| !is_filtered(*kind) || candidates.iter().any(|c| kinds(c.kind).contains(kind));
        let options = Options {
            check: self.options.check.iter().copied().filter(looked_for).collect(),
            effort: self.options.effort.or(Some(EFFORT)),
            time: Some(time_of_window(left)),
            ..self.options.clone()
        };
        let inputs = Inputs::of(&self.run.execution);
        let (scene, known, extent) = (machine.clone(), (self.facts, &self.empty), (laid.points, focus(&candidates)));
        let window = Window::narrow(scene, known, inputs, &mut follow.clone(), extent, self.run.which);
        let (bugs, queries) = (self.found.bugs.len(), self.found.statistics.queries);
        let mut tell = |window: &Progress| {
            progress(&Progress { queries: queries + window.queries, bugs: bugs + window.bugs, ..*window });
        };
        let predicted = window.predict(self.facts, &options, &self.found.bugs, &mut tell);
        self.found.windows.windows += 1;
        self.found.windows.largest = self.found.windows.largest.max(laid.points);
        match predicted {
            Ok(summary) => self.take_in(machine, summary),
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

    fn take_in(&mut self, machine: &Machine<'p>, summary: Summary) {
        let found = &mut self.found;
        let is_new = |bug: &Bug| !found.bugs.iter().any(|known| known.failure.same_places(&bug.failure));
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
            Some(Stopped::Time) => found.windows.unfinished += 1,
            stopped => found.stopped = stopped,
        }
    }
}

impl Found {
    /// `forgotten`: how much of the run the filter had no room for.
    fn conclude(mut self, forgotten: u64) -> (Summary, Windows) {
        self.windows.out_of_reach = self.out_of_reach.difference(&self.looked_at).count() as u32;
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
        assumptions.push(
            "a window is asked about the lines that it was laid for, and nothing else; other ways through it only where threads may wait"
                .to_owned(),
        );
        assumptions.push(
            "an index into large memory that depends on other threads leads to where the run has been in the window"
                .to_owned(),
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
            (true, None, 0) => Verdict::Bounded(format!("the run is long, and was looked at in {windows} windows")),
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

/// How many points a machine has executed.
fn points(machine: &Machine<'_>) -> u64 {
    machine.thread_ids().map(|thread| machine.points(thread)).sum()
}

/// What a window may take, if so much is left for all.
pub(crate) fn time_of_window(left: Option<Duration>) -> Duration {
    left.map_or(MOST_TIME, |left| (left / MOST_OF_TIME_LEFT).min(MOST_TIME))
}

/// Follows a run to a point, and on to where everybody could go on.
fn go_to(machine: &mut Machine<'_>, follow: &mut Follow<'_>, point: u64) {
    schedulers::run(machine, follow, point.saturating_sub(points(machine)));
    // Nobody else could do anything before the section is over.
    while !machine.is_outside_atomic_sections() && machine.end().is_none() {
        if schedulers::run(machine, follow, 1) == Outcome::Stopped {
            return;
        }
    }
}

/// Whether the filter knows where this may be.
fn is_filtered(kind: FailureKind) -> bool {
    [Kind::Race, Kind::Lifetime, Kind::Locks, Kind::Atomicity].iter().any(|k| kinds(*k).contains(&kind))
}
