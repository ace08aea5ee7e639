//! A random thread at every point.

use super::{Choice, Scheduler, at_random, candidates, step_or_commit};
use crate::machine::Machine;
use crate::rng::Rng;

#[derive(Clone, Debug)]
pub struct Random {
    rng: Rng,
}

impl Random {
    pub fn new(seed: u64) -> Self {
        Random { rng: Rng::new(seed) }
    }
}

impl Scheduler for Random {
    fn choose(&mut self, machine: &Machine<'_>) -> Choice {
        let candidates = candidates(machine);
        let picked = (!candidates.is_empty()).then(|| candidates[self.rng.below(candidates.len())]);
        match step_or_commit(machine, picked) {
            Choice::Step(thread) => at_random(machine, thread, &mut self.rng),
            other => other,
        }
    }
}
