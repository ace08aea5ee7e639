//! A random thread at every point.

use super::{Choice, Scheduler, candidates, step_or_commit};
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
        step_or_commit(machine, picked)
    }
}
