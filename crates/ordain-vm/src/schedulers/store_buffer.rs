//! Random threads and random store buffers: stores reach memory late, and under PSO out of order.

use super::{Choice, Scheduler, at_random, candidates, wait};
use crate::machine::Machine;
use crate::pending::Status;
use crate::rng::Rng;

#[derive(Clone, Debug)]
pub struct StoreBuffers {
    rng: Rng,
    /// One in how many choices lets a store through while threads are ready. Differs from run to run, since some
    /// outcomes need stores that are held back for long.
    delay: usize,
}

impl StoreBuffers {
    pub fn new(seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let delay = 2 + rng.below(10);
        StoreBuffers { rng, delay }
    }
}

impl Scheduler for StoreBuffers {
    fn choose(&mut self, machine: &Machine<'_>) -> Choice {
        let threads = candidates(machine);
        let commits = machine.commits();
        let somebody_ready = threads.first().is_some_and(|t| machine.status(*t) == Status::Ready);
        if !commits.is_empty() && (!somebody_ready || self.rng.below(self.delay) == 0) {
            let (thread, nth) = commits[self.rng.below(commits.len())];
            return Choice::Commit(thread, nth);
        }
        if threads.is_empty() {
            return Choice::Stop;
        }
        let thread = threads[self.rng.below(threads.len())];
        if somebody_ready { at_random(machine, thread, 1, &mut self.rng) } else { wait(machine, thread) }
    }
}
