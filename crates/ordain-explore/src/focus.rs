//! What a part of a long run is asked about: what it was chosen for, and nothing else.
//!
//! A long run is looked at in many parts, and each of them shows much that is asked elsewhere, where it is easier. So whoever chooses the
//! parts says by source lines what each is for. Of the instances of a line those count that are next to each other in the run. Other
//! ways through it are looked for only where threads may have to wait: for all else, whoever would have waited could as well have been slower.

use crate::ask::{Goal, Prepared, Question};
use crate::search::Search;
use crate::{Error, Progress};
use ordain_ir::program::{FuncId, Pc};
use ordain_model::encode::{Blocked, Certain, Encoding};
use ordain_model::event::EventId;
use ordain_model::forest::{NodeEnd, Subject};
use ordain_solve::engine::Engine;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Pairs of accesses that are asked about for each pair of lines.
const MOST_INSTANCES: usize = 4;

/// A line of a file of the program, both by number.
pub type Line = (u32, u32);

/// How often everything is asked, and how many other ways are asked for each time, with so many conflicts each.
const MOST_ROUNDS: u32 = 3;
const MOST_WAYS: usize = 48;
const EFFORT_FOR_WAYS: u64 = 200;

/// What a part of a run is for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Focus {
    /// Lines of two accesses, the lower one first.
    pub races: FxHashSet<[Line; 2]>,
    /// The first access, the one that comes between, the second.
    pub splits: FxHashSet<[Line; 3]>,
    /// Where threads wait.
    pub waits: FxHashSet<Line>,
    /// Where memory is used, or freed.
    pub uses: FxHashSet<Line>,
}

impl<'p> Search<'p> {
    /// What this search is for, if not for everything.
    pub(crate) fn focus(&self) -> Option<&'p Focus> {
        self.options.recorded.as_ref()?.focus.as_ref()
    }

    pub(crate) fn line(&self, e: EventId) -> Line {
        self.line_at(self.unfolder.forest.event(e).site.user)
    }

    fn line_at(&self, (function, pc): (FuncId, Pc)) -> Line {
        let location = self.program.location(function, pc);
        (location.file, location.line)
    }

    /// Whether anybody wants to know of this.
    fn is_in_focus(&self, focus: &Focus, goal: Goal) -> bool {
        match goal {
            Goal::Stub(stub) => match &self.unfolder.forest.node(stub.node).end {
                // It may lead to where there is no memory.
                NodeEnd::Decision(decision) if matches!(decision.on, Subject::Pointer { .. } | Subject::Value(_)) => {
                    true
                }
                _ => !focus.waits.is_empty(),
            },
            Goal::Freed(e) => focus.uses.contains(&self.line(e)),
            Goal::Leaf(_) | Goal::Undefined(_) | Goal::PartedAgain(_) => true,
        }
    }

    /// Whether anybody wants to know of a thread that waits there for ever.
    pub(crate) fn is_wait_of_interest(&self, blocked: Blocked) -> bool {
        let Some(focus) = self.focus() else { return true };
        let site = match blocked {
            Blocked::At(e) => self.unfolder.forest.event(e).site,
            Blocked::Await(n) => self.unfolder.await_site(n),
        };
        focus.waits.contains(&self.line_at(site.user))
    }

    /// Whether anybody wants to know that this comes between two accesses.
    pub(crate) fn is_split_of_interest(&self, first: EventId, between: EventId, second: EventId) -> bool {
        let Some(focus) = self.focus() else { return true };
        focus.splits.contains(&[self.line(first), self.line(between), self.line(second)])
    }

    /// By first access, those that may race with it: the pairs of lines that anybody wants to know of, and of each those that are next to each
    /// other in the run.
    pub(crate) fn races_in_focus(
        &mut self,
        focus: &Focus,
        certain: &Certain,
    ) -> Result<FxHashMap<EventId, Vec<EventId>>, Error> {
        let mut nearest: FxHashMap<EventId, Vec<EventId>> = FxHashMap::default();
        if focus.races.is_empty() {
            return Ok(nearest);
        }
        let positions = self.positions_in_known()?;
        let forest = &self.unfolder.forest;
        let mut by_line: FxHashMap<Line, Vec<EventId>> = FxHashMap::default();
        for e in forest.event_ids().filter(|&e| forest.event(e).kind.access().is_some()) {
            by_line.entry(self.line(e)).or_default().push(e);
        }
        let at = |line: Line| by_line.get(&line).map_or(&[][..], |events| events);
        let both_ways: BTreeSet<(Line, Line)> = focus.races.iter().flat_map(|&[a, b]| [(a, b), (b, a)]).collect();
        for (first, second) in both_ways {
            let pairs = at(first).iter().flat_map(|&a| at(second).iter().map(move |&b| (a, b)));
            let may_race = pairs.filter(|&(a, b)| certain.may_race(forest, a, b) && !self.knows_race(a, b));
            let mut instances: Vec<_> = may_race.map(|(a, b)| (positions.apart(&[a, b]), a, b)).collect();
            instances.sort_unstable();
            for (_, a, b) in instances.into_iter().take(MOST_INSTANCES) {
                nearest.entry(a).or_default().push(b);
            }
        }
        Ok(nearest)
    }

    /// Whether there is anything to ask, as far as that can be told without a solver.
    pub(crate) fn has_questions(&mut self, focus: &Focus) -> Result<bool, Error> {
        let is_misuse = |goal: &Goal| !matches!(goal, Goal::Stub(_)) && self.is_in_focus(focus, *goal);
        if !focus.waits.is_empty() || self.left.goals.iter().any(is_misuse) {
            return Ok(true);
        }
        let certain = Certain::of(&self.unfolder.forest);
        Ok(!self.races_in_focus(focus, &certain)?.is_empty() || self.has_splits(&certain)?)
    }

    /// Asks what the search is for. Says whether there is more to ask.
    pub(crate) fn ask_in_focus(
        &mut self,
        focus: &Focus,
        encoding: &mut Encoding<Engine>,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<bool, Error> {
        encoding.solver.set_limit_conflicts(self.options.effort);
        encoding.solver.set_guided(false);
        // Most of it happens as in the run whatever is asked.
        let (_, order) = self.points_of_known()?;
        encoding.prefer(&order);
        let goes_on = self.statistics.rounds < MOST_ROUNDS;
        let goals = std::mem::take(&mut self.left.goals);
        let goals = goals.into_iter().filter(|&goal| self.is_in_focus(focus, goal));
        let (mut ways, misuse): (Vec<Goal>, Vec<Goal>) = goals.partition(|goal| matches!(goal, Goal::Stub(_)));
        let outdated = self.ask_goals(encoding, misuse, progress)?
            || self.ask_stuck(encoding, progress)?
            || self.ask_races(encoding, progress)?
            || self.ask_regions(encoding, progress)?;
        if outdated || !goes_on {
            return Ok(outdated && goes_on);
        }
        encoding.solver.set_limit_conflicts(Some(EFFORT_FOR_WAYS));
        encoding.solver.set_guided(true);
        ways.truncate(MOST_WAYS);
        self.ask_goals(encoding, ways, progress)
    }

    /// Says whether the forest has grown, or is another.
    fn ask_goals(
        &mut self,
        encoding: &mut Encoding<Engine>,
        goals: Vec<Goal>,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<bool, Error> {
        let asked =
            self.ask_all(encoding, &mut Prepared::default(), goals.into_iter().map(Question::Goal), progress)?;
        self.left.goals.extend(asked.goals());
        Ok(asked.grown)
    }
}
