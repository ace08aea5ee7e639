//! Probabilistic concurrency testing: random priorities, lowered at a few random points.
//!
//! After Burckhardt, Kothari, Musuvathi, Nagarakatte (ASPLOS 2010): a bug that needs `depth` ordering constraints in a
//! run of n threads and k points is hit with probability at least 1/(n k^(depth-1)). The length k is an estimate, to be
//! given from an earlier run. A thread that waits in a loop loses its priority, since otherwise it could spin for ever; so
//! does one that has gone on alone for longer than that, for it may be waiting in a way that nobody recognises.

use super::{Choice, Scheduler, at_random, candidates, run_or_commit};
use crate::machine::Machine;
use crate::pending::Status;
use crate::rng::Rng;
use crate::thread::ThreadId;

/// For how many points a thread may go on alone, at least: the expected length may be far too short.
const PATIENCE: u64 = 100_000;

#[derive(Clone, Debug)]
pub struct Pct {
    rng: Rng,
    /// Of every thread so far; higher goes first.
    priorities: Vec<i64>,
    /// After how many points the running thread is lowered, the next one last.
    changes: Vec<u64>,
    lowest: i64,
    /// For how many points a thread may go on alone.
    patience: u64,
    /// Who has been running, and since how many points in all.
    current: Option<(ThreadId, u64)>,
}

impl Pct {
    /// `depth` is the number of ordering constraints to hit, `length` the expected number of points of a run.
    pub fn new(depth: u32, length: u64, seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let length = length.max(1);
        let below = usize::try_from(length).unwrap_or(usize::MAX);
        let mut changes: Vec<u64> = (1..depth).map(|_| rng.below(below) as u64).collect();
        changes.sort_unstable();
        changes.reverse();
        Pct { rng, priorities: Vec::new(), changes, lowest: 0, patience: length.max(PATIENCE), current: None }
    }

    fn decide(&mut self, machine: &Machine<'_>, thread: Option<ThreadId>, points: u32) -> Choice {
        match run_or_commit(machine, thread, points) {
            Choice::Run(thread, points) => at_random(machine, thread, points, &mut self.rng),
            other => other,
        }
    }

    /// For how many points `thread` may still go on alone.
    fn left(&mut self, thread: ThreadId, executed: u64) -> u64 {
        match self.current {
            Some((current, since)) if current == thread => self.patience.saturating_sub(executed - since),
            _ => {
                self.current = Some((thread, executed));
                self.patience
            }
        }
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
        let Some(thread) = picked else { return run_or_commit(machine, None, 1) };
        let executed: u64 = machine.thread_ids().map(|t| machine.points(t)).sum();
        let at_change = self.changes.last().is_some_and(|change| *change <= executed);
        while self.changes.pop_if(|change| *change <= executed).is_some() {}
        let left = self.left(thread, executed);
        if at_change || left == 0 || machine.status(thread) == Status::Awaiting {
            // It still takes one step, and then comes after the others.
            self.lower(thread);
            self.current = None;
            return self.decide(machine, picked, 1);
        }
        let until_change = self.changes.last().map_or(u64::MAX, |change| change - executed);
        self.decide(machine, picked, u32::try_from(until_change.min(left)).unwrap_or(u32::MAX))
    }
}
