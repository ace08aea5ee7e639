//! What is asked at the fix-point, about whole executions rather than paths: threads that can never go on, races.

use crate::Error;
use crate::search::{Reply, Search};
use crate::unproved::UnprovedKind;
use ordain_model::encode::{Blocked, Encoding};
use ordain_model::event::EventId;
use ordain_model::failure::{FailureKind, Place};
use ordain_model::names::ThreadName;
use ordain_solve::engine::Engine;
use ordain_solve::order::{Lit, OrderSolver};

/// Literals that questions about races may take before they are asked: every first access has one for each event.
const RACE_LITERALS: usize = 200_000;

/// The accesses that may race with a first one, each with the literal that says that it does.
struct Races {
    first: EventId,
    seconds: Vec<(EventId, Lit)>,
}

impl Search<'_> {
    /// Threads that can never go on.
    pub(crate) fn ask_stuck(&mut self, encoding: &mut Encoding<Engine>) -> Result<bool, Error> {
        if !self.looks_for(&[FailureKind::Deadlock, FailureKind::Hang]) {
            self.left.stuck = false;
            return Ok(false);
        }
        let goals = encoding.stuck_goals(&self.unfolder.forest);
        for (blocked, goal) in goals {
            let (thread, place) = self.waits_at(blocked);
            if self.is_over() {
                return Ok(false);
            }
            if self.stuck.contains(&(thread.clone(), place.clone())) {
                continue;
            }
            let solution = match self.ask(encoding, &[goal]) {
                Reply::Yes(solution) => solution,
                Reply::No => continue,
                Reply::TooHard => {
                    self.left.undecided.insert((UnprovedKind::Stuck, place));
                    continue;
                }
            };
            let machine = self.execute(&solution, None)?;
            let rebuilt = self.absorb(&machine)?;
            if !self.stuck.contains(&(thread.clone(), place.clone())) {
                let what =
                    format!("thread {thread} should be stuck at {place}, but the run ended with {:?}", machine.end());
                self.diverged(what)?;
            }
            if rebuilt {
                return Ok(true);
            }
        }
        self.left.stuck = false;
        Ok(false)
    }

    fn waits_at(&self, blocked: Blocked) -> (ThreadName, Place) {
        let forest = &self.unfolder.forest;
        match blocked {
            Blocked::At(e) => (forest.thread(e).clone(), self.place(forest.event(e).site)),
            Blocked::Await(n) => (forest.thread_of_node(n).clone(), self.place(self.unfolder.await_site(n))),
        }
    }

    pub(crate) fn ask_races(&mut self, encoding: &mut Encoding<Engine>) -> Result<bool, Error> {
        if !self.looks_for(&[FailureKind::Race]) {
            self.left.races = false;
            return Ok(false);
        }
        let forest = &self.unfolder.forest;
        let accesses = forest.event_ids().filter(|&e| forest.event(e).kind.access().is_some());
        let accesses: Vec<EventId> = accesses.collect();
        let at_once = (RACE_LITERALS / forest.events.len().max(1)).max(1);
        // To state something is to make the solver lay out its graph anew, so many questions are stated before any is asked.
        for firsts in accesses.chunks(at_once) {
            if self.is_over() {
                return Ok(false);
            }
            let races: Vec<Races> = firsts.iter().filter_map(|&a| self.state_races(encoding, a, &accesses)).collect();
            for races in races {
                if self.ask_races_of(encoding, races)? {
                    return Ok(true);
                }
            }
        }
        self.left.races = self.is_over();
        Ok(false)
    }

    fn state_races(&mut self, encoding: &mut Encoding<Engine>, a: EventId, accesses: &[EventId]) -> Option<Races> {
        let forest = &mut self.unfolder.forest;
        let may_race: Vec<EventId> = accesses.iter().copied().filter(|&b| encoding.may_race(forest, a, b)).collect();
        if may_race.is_empty() {
            return None;
        }
        let after = encoding.happens_after(forest, a);
        let seconds = may_race.into_iter().filter_map(|b| Some((b, encoding.races(forest, &after, b)?))).collect();
        Some(Races { first: a, seconds })
    }

    /// First whether there is any race at all: mostly there is none. Says whether the model was built anew.
    fn ask_races_of(&mut self, encoding: &mut Encoding<Engine>, races: Races) -> Result<bool, Error> {
        let Races { first, seconds: mut open } = races;
        loop {
            open.retain(|&(b, _)| !self.knows_race(first, b));
            if open.is_empty() || self.is_over() {
                return Ok(false);
            }
            let goals: Vec<Lit> = open.iter().map(|&(_, goal)| goal).collect();
            let any = encoding.any_of(&goals);
            let solution = match self.ask(encoding, &[any]) {
                Reply::Yes(solution) => solution,
                Reply::No => return Ok(false),
                Reply::TooHard => {
                    for &(b, _) in &open {
                        let place = self.place(self.unfolder.forest.event(b).site);
                        self.left.undecided.insert((UnprovedKind::Race, place));
                    }
                    return Ok(false);
                }
            };
            let claimed: Vec<EventId> =
                open.iter().filter(|&&(_, goal)| encoding.solver.value(goal)).map(|&(b, _)| b).collect();
            let machine = self.execute(&solution, None)?;
            let rebuilt = self.absorb(&machine)?;
            for b in claimed {
                if !self.knows_race(first, b) {
                    let forest = &self.unfolder.forest;
                    let (a, b) = (self.place(forest.event(first).site), self.place(forest.event(b).site));
                    self.diverged(format!("{a} and {b} should race, but the run shows no race"))?;
                }
            }
            if rebuilt {
                return Ok(true);
            }
        }
    }

    fn knows_race(&self, a: EventId, b: EventId) -> bool {
        let forest = &self.unfolder.forest;
        let (a, b) = (self.place(forest.event(a).site), self.place(forest.event(b).site));
        self.bugs.iter().filter(|bug| bug.failure.kind == FailureKind::Race).any(|bug| {
            let (x, y) = (&bug.failure.place, &bug.failure.others[0].1);
            (*x == a && *y == b) || (*x == b && *y == a)
        })
    }
}
