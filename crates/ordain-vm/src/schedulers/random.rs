//! A random thread at every point.
//!
//! Drawn a turn at a time: how often the same thread would be picked again and again is drawn at once, and then the next
//! turn is another's. If a turn is over early, because others can go on now, the rest of it is drawn anew.

use super::{Choice, Scheduler, at_random, candidates, run_or_commit};
use crate::machine::Machine;
use crate::rng::Rng;
use crate::thread::ThreadId;

#[derive(Clone, Debug)]
pub struct Random {
    rng: Rng,
    /// The last turn: whose, and how many points its thread has executed if it was not over early.
    last: Option<(ThreadId, u64)>,
}

impl Random {
    pub fn new(seed: u64) -> Self {
        Random { rng: Rng::new(seed), last: None }
    }

    /// How many points a thread gets in a row if each time one of `threads` is drawn.
    fn length(&mut self, threads: usize) -> u32 {
        if threads == 1 {
            return u32::MAX;
        }
        let mut points = 1;
        while self.rng.below(threads) == 0 && points < u32::MAX {
            points += 1;
        }
        points
    }
}

impl Scheduler for Random {
    fn choose(&mut self, machine: &Machine<'_>) -> Choice {
        let mut candidates = candidates(machine);
        let length = self.length(candidates.len().max(1));
        let last = self.last.take().filter(|&(thread, points)| machine.points(thread) == points);
        if let Some((thread, _)) = last
            && candidates.len() > 1
        {
            candidates.retain(|candidate| *candidate != thread);
        }
        let picked = (!candidates.is_empty()).then(|| candidates[self.rng.below(candidates.len())]);
        let choice = match run_or_commit(machine, picked, length) {
            Choice::Run(thread, points) => at_random(machine, thread, points, &mut self.rng),
            other => other,
        };
        if let Choice::Run(thread, points) = choice {
            self.last = Some((thread, machine.points(thread) + points as u64));
        }
        choice
    }
}
