//! Every thread in turn, a fixed number of points each.

use super::{Choice, Scheduler, candidates, run_or_commit};
use crate::machine::Machine;
use crate::thread::ThreadId;

#[derive(Clone, Debug)]
pub struct RoundRobin {
    quantum: u32,
    current: ThreadId,
    /// How many points it had executed when its turn began.
    began: u64,
}

impl RoundRobin {
    /// Threads take turns of `quantum` points (at least one).
    pub fn new(quantum: u32) -> Self {
        RoundRobin { quantum: quantum.max(1), current: ThreadId::MAIN, began: 0 }
    }
}

impl Scheduler for RoundRobin {
    fn choose(&mut self, machine: &Machine<'_>) -> Choice {
        let candidates = candidates(machine);
        let used = machine.points(self.current) - self.began;
        if used < self.quantum as u64 && candidates.contains(&self.current) {
            return run_or_commit(machine, Some(self.current), self.quantum - used as u32);
        }
        let next = candidates.iter().find(|t| **t > self.current).or(candidates.first()).copied();
        self.current = next.unwrap_or(self.current);
        self.began = machine.points(self.current);
        run_or_commit(machine, next, self.quantum)
    }
}
