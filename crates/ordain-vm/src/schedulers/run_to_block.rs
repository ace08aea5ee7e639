//! One thread runs until it has to wait; then the next in the order of creation.

use super::{Choice, Scheduler, candidates, run_or_commit};
use crate::machine::Machine;
use crate::pending::Status;
use crate::thread::ThreadId;

#[derive(Clone, Debug, Default)]
pub struct RunToBlock {
    current: Option<ThreadId>,
}

impl Scheduler for RunToBlock {
    fn choose(&mut self, machine: &Machine<'_>) -> Choice {
        let keep = self.current.filter(|t| machine.status(*t) == Status::Ready);
        self.current = keep.or_else(|| {
            let candidates = candidates(machine);
            let after = |t: &&ThreadId| self.current.is_none_or(|current| **t > current);
            candidates.iter().find(after).or(candidates.first()).copied()
        });
        run_or_commit(machine, self.current, u32::MAX)
    }
}
