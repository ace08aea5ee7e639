//! Who can never proceed: the greatest set of threads that each wait for something only the set could give.

use crate::gate::{Gate, MAX_THREADS, Status};

pub struct StuckSet {
    member: [bool; MAX_THREADS],
}

impl StuckSet {
    /// To be asked when no thread is running.
    pub fn of(gate: &Gate) -> StuckSet {
        let mut set = StuckSet { member: [false; MAX_THREADS] };
        for t in gate.live() {
            set.member[t] = gate.waits_for(t).is_some() || gate.sleeps(t);
        }
        while let Some(free) = gate.live().find(|&t| set.member[t] && !set.is_hopeless(gate, t)) {
            set.member[free] = false;
        }
        set
    }

    pub fn is_empty(&self) -> bool {
        !self.member.contains(&true)
    }

    pub fn contains(&self, thread: usize) -> bool {
        self.member[thread]
    }

    /// Whoever could release it is in the set, or has ended with the mutex in its hands.
    fn is_hopeless(&self, gate: &Gate, thread: usize) -> bool {
        if gate.sleeps(thread) {
            return gate.live().all(|other| self.member[other]);
        }
        gate.waits_for(thread).is_some_and(|o| self.member[o] || gate.threads[o].status == Status::Ended)
    }
}
