//! What is asked at the fix-point, about whole executions rather than paths: threads that can never go on, races.

use crate::ask::{Prepared, Question};
use crate::search::Search;
use crate::{Error, Progress};
use ordain_model::encode::Encoding;
use ordain_model::event::EventId;
use ordain_model::failure::FailureKind;
use ordain_model::forest::NodeEnd;
use ordain_solve::engine::Engine;
use ordain_solve::order::Lit;

/// Literals that questions about races may take before they are asked: every first access has one for each event.
const RACE_LITERALS: usize = 200_000;
impl Search<'_> {
    /// Threads that can never go on. Says whether everything has to be asked again.
    pub(crate) fn ask_stuck(
        &mut self,
        encoding: &mut Encoding<Engine>,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<bool, Error> {
        if self.looks_for(&[FailureKind::Deadlock, FailureKind::Hang]) {
            let mut goals = encoding.stuck_goals(&self.unfolder.forest);
            goals.retain(|&(blocked, _)| self.is_wait_of_interest(blocked));
            let questions: Vec<Question> = goals.iter().map(|&(blocked, _)| Question::Stuck(blocked)).collect();
            let mut prepared = Prepared::for_stuck(goals);
            let asked = self.ask_all(encoding, &mut prepared, questions.into_iter(), progress)?;
            if asked.outdated || !asked.complete {
                return Ok(asked.outdated);
            }
            self.left.undecided.extend(self.undecided(&asked));
        }
        self.left.stuck = false;
        Ok(false)
    }

    /// For each access, first whether anything races with it: mostly there is nothing. Says whether everything has to be
    /// asked again.
    pub(crate) fn ask_races(
        &mut self,
        encoding: &mut Encoding<Engine>,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<bool, Error> {
        if self.looks_for(&[FailureKind::Race]) {
            let forest = &self.unfolder.forest;
            let accesses = forest.event_ids().filter(|&e| forest.event(e).kind.access().is_some());
            let accesses: Vec<EventId> = accesses.collect();
            let nearest = match self.focus() {
                Some(focus) => Some(self.races_in_focus(focus, encoding.certain())?),
                None => None,
            };
            let forest = &self.unfolder.forest;
            let at_once = (RACE_LITERALS / forest.events.len().max(1)).max(1) * self.seat.seats();
            // To state something is to make the solver lay out its graph anew, so many questions are stated before any is
            // asked.
            for firsts in accesses.chunks(at_once) {
                let questions = firsts.iter().map(|&a| Question::Races(a));
                let own = firsts.iter().filter(|&&a| self.seat.takes(Question::Races(a))).copied();
                let own: Vec<EventId> = own.collect();
                let others = |this: &Self, encoding: &Encoding<Engine>, a| match &nearest {
                    Some(nearest) => nearest.get(&a).cloned().unwrap_or_default(),
                    None => this.may_race_with(encoding, a, &accesses),
                };
                let stated = own.into_iter().filter_map(|a| {
                    let others = others(self, encoding, a);
                    (!others.is_empty()).then(|| (a, self.state_races(encoding, a, &others)))
                });
                let mut prepared = Prepared::for_races(stated);
                let asked = self.ask_all(encoding, &mut prepared, questions, progress)?;
                if asked.outdated || !asked.complete {
                    return Ok(asked.outdated);
                }
                self.left.undecided.extend(self.undecided(&asked));
            }
        }
        self.left.races = false;
        Ok(false)
    }

    /// A failing round of an await is a thread's last in the model, but not in fact: what it touches may race with what
    /// others do when the thread has gone on. Looks for awaits where that may be, so that they are unfolded with one
    /// failing round before the last. Says whether there are any that were not, and the model was built anew.
    pub(crate) fn unfold_failing_rounds(&mut self, encoding: &Encoding<Engine>) -> Result<bool, Error> {
        if !self.looks_for(&[FailureKind::Race]) {
            return Ok(false);
        }
        let forest = &self.unfolder.forest;
        let accesses = forest.event_ids().filter(|&e| forest.event(e).kind.access().is_some());
        let accesses: Vec<EventId> = accesses.collect();
        let mut noticed = Vec::new();
        for n in forest.node_ids() {
            let NodeEnd::Again(start) = forest.node(n).end else { continue };
            // What comes before the first decision is in every round.
            let is_in_all = |e: EventId| {
                forest.position(e).node == start.node && forest.terms.as_const(forest.event(e).guard) == Some(1)
            };
            let races = |e: EventId| {
                accesses
                    .iter()
                    .any(|&other| encoding.certain().may_race(forest, e, other) && !self.knows_race(e, other))
            };
            if encoding.failing_iteration(forest, n).into_iter().any(|e| !is_in_all(e) && races(e)) {
                noticed.push(self.unfolder.await_header(n));
            }
        }
        for header in noticed {
            self.unfolder.sharing.note_noticed(header);
        }
        if self.unfolder.is_stale() {
            self.rebuild()?;
            return Ok(true);
        }
        Ok(false)
    }

    fn may_race_with(&self, encoding: &Encoding<Engine>, a: EventId, accesses: &[EventId]) -> Vec<EventId> {
        accesses.iter().copied().filter(|&b| encoding.certain().may_race(&self.unfolder.forest, a, b)).collect()
    }

    /// The accesses that may race with a first one, each with the literal that says that it does.
    fn state_races(&mut self, encoding: &mut Encoding<Engine>, a: EventId, others: &[EventId]) -> Vec<(EventId, Lit)> {
        let forest = &mut self.unfolder.forest;
        let after = encoding.happens_after(forest, a);
        others.iter().filter_map(|&b| Some((b, encoding.races(forest, &after, b)?))).collect()
    }
}
