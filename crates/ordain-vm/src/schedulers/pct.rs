//! Probabilistic concurrency testing: random priorities, lowered at a few random points.
//!
//! After Burckhardt, Kothari, Musuvathi, Nagarakatte (ASPLOS 2010): a bug that needs `depth` ordering constraints in a
//! run of n threads and k points is hit with probability at least 1/(n k^(depth-1)). The length k is an estimate, to be
//! given from an earlier run. A thread that waits in a loop loses its priority, since otherwise it could spin for ever.

use super::{Choice, Scheduler, at_random, candidates, step_or_commit};
use crate::machine::Machine;
use crate::pending::Status;
use crate::rng::Rng;
use crate::thread::ThreadId;

#[derive(Clone, Debug)]
pub struct Pct {
    rng: Rng,
    /// Of every thread so far; higher goes first.
    priorities: Vec<i64>,
    /// Choices at which the running thread is lowered, in ascending order.
    changes: Vec<u64>,
    choices: u64,
    lowest: i64,
}

impl Pct {
    /// `depth` is the number of ordering constraints to hit, `length` the expected number of points of a run.
    pub fn new(depth: u32, length: u64, seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let length = usize::try_from(length.max(1)).unwrap_or(usize::MAX);
        let mut changes: Vec<u64> = (1..depth).map(|_| rng.below(length) as u64).collect();
        changes.sort_unstable();
        changes.reverse();
        Pct { rng, priorities: Vec::new(), changes, choices: 0, lowest: 0 }
    }

    fn lower(&mut self, thread: ThreadId) {
        self.lowest -= 1;
        self.priorities[thread.index()] = self.lowest;
    }
}

impl Scheduler for Pct {
    fn choose(&mut self, machine: &Machine<'_>) -> Choice {
        while self.priorities.len() < machine.threads() {
            // Random priorities are positive, so that lowered threads come after all others.
            self.priorities.push(self.rng.next_u64() as i64 & i64::MAX);
        }
        let candidates = candidates(machine);
        let priorities = &self.priorities;
        let picked = candidates.into_iter().max_by_key(|t| priorities[t.index()]);
        if let Some(thread) = picked {
            let at_change = self.changes.last() == Some(&self.choices);
            if at_change || machine.status(thread) == Status::Awaiting {
                self.lower(thread);
            }
            while self.changes.last() == Some(&self.choices) {
                self.changes.pop();
            }
            self.choices += 1;
        }
        match step_or_commit(machine, picked) {
            Choice::Step(thread) => at_random(machine, thread, &mut self.rng),
            other => other,
        }
    }
}
