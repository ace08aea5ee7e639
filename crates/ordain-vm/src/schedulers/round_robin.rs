//! Every thread in turn, a fixed number of points each.

use super::{Choice, Scheduler, candidates, step_or_commit};
use crate::machine::Machine;
use crate::thread::ThreadId;

#[derive(Clone, Debug)]
pub struct RoundRobin {
    quantum: u32,
    current: ThreadId,
    used: u32,
}

impl RoundRobin {
    /// Threads take turns of `quantum` points (at least one).
    pub fn new(quantum: u32) -> Self {
        RoundRobin { quantum: quantum.max(1), current: ThreadId::MAIN, used: 0 }
    }
}

impl Scheduler for RoundRobin {
    fn choose(&mut self, machine: &Machine<'_>) -> Choice {
        let candidates = candidates(machine);
        if self.used < self.quantum && candidates.contains(&self.current) {
            self.used += 1;
            return step_or_commit(machine, Some(self.current));
        }
        let next = candidates.iter().find(|t| **t > self.current).or(candidates.first()).copied();
        self.current = next.unwrap_or(self.current);
        self.used = 1;
        step_or_commit(machine, next)
    }
}
