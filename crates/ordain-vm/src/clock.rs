//! Vector clocks, over the dense thread numbers of one run.

use crate::fingerprint::word;
use crate::thread::ThreadId;

/// For every thread, up to which of its epochs everything is known to have happened before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Clock(Vec<u32>);

impl Clock {
    pub fn get(&self, thread: ThreadId) -> u32 {
        self.0.get(thread.index()).copied().unwrap_or(0)
    }

    pub fn join(&mut self, other: &Clock) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = (*mine).max(*theirs);
        }
    }

    /// Starts a new epoch of `thread`: what it does from now on is not covered by what it published before.
    pub fn advance(&mut self, thread: ThreadId) {
        if self.0.len() <= thread.index() {
            self.0.resize(thread.index() + 1, 0);
        }
        self.0[thread.index()] += 1;
    }

    pub fn encode(&self, out: &mut Vec<u8>) {
        word(out, self.0.len() as u64);
        self.0.iter().for_each(|epoch| out.extend(epoch.to_le_bytes()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joining_takes_the_later_epoch_of_every_thread() {
        let (mut a, mut b) = (Clock::default(), Clock::default());
        a.advance(ThreadId(0));
        a.advance(ThreadId(0));
        b.advance(ThreadId(2));
        a.join(&b);
        assert_eq!((a.get(ThreadId(0)), a.get(ThreadId(1)), a.get(ThreadId(2))), (2, 0, 1));
    }
}
