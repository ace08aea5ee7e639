//! What comes before what in every order of a run's events: what a thread did before it created another comes before all that the other
//! does, and all that a thread does comes before what follows its join. Nothing else is certain: who gets a mutex first, and which
//! write a read sees, may be otherwise in another order. A thread's events between two of its creations and joins are one *segment*: to
//! others they are all alike.

use ordain_model::faults::{Fault, seeded};

/// A segment of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Moment {
    pub thread: u16,
    pub segment: u32,
}

/// What a thread knows of another.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// How many of the other's segments have come before.
    before: u32,
    /// The thread's own segment from which on it has known that.
    since: u32,
}

#[derive(Clone, Debug, Default)]
struct Clock {
    segment: u32,
    known: Vec<Known>,
}

impl Clock {
    fn learn(&mut self, thread: usize, before: u32) {
        if self.known.len() <= thread {
            self.known.resize(thread + 1, Known::default());
        }
        if self.known[thread].before < before {
            self.known[thread] = Known { before, since: self.segment };
        }
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Clocks(Vec<Clock>);

impl Clocks {
    fn clock(&mut self, thread: u16) -> &mut Clock {
        let thread = usize::from(thread);
        if self.0.len() <= thread {
            self.0.resize(thread + 1, Clock::default());
        }
        &mut self.0[thread]
    }

    pub fn now(&mut self, thread: u16) -> Moment {
        Moment { thread, segment: self.clock(thread).segment }
    }

    pub fn create(&mut self, parent: u16, child: u16) {
        let segment = self.clock(parent).segment;
        let mut known = self.clock(parent).known.clone();
        known.iter_mut().for_each(|known| known.since = 0);
        *self.clock(child) = Clock { segment: 0, known };
        self.clock(child).learn(parent.into(), segment + 1);
        let parent = self.clock(parent);
        parent.segment += 1;
        if seeded(Fault::CreateOrdersBoth) {
            parent.learn(child.into(), u32::MAX);
        }
    }

    pub fn join(&mut self, thread: u16, ended: u16) {
        let mut learned: Vec<u32> = self.clock(ended).known.iter().map(|known| known.before).collect();
        let all = self.clock(ended).segment + 1;
        if seeded(Fault::JoinOrdersEveryone) {
            learned = self.0.iter().map(|clock| clock.segment + 1).collect();
        }
        let clock = self.clock(thread);
        clock.segment += 1;
        learned.into_iter().enumerate().for_each(|(other, before)| clock.learn(other, before));
        clock.learn(ended.into(), all);
    }

    /// Whether `earlier` comes before `later`, of another thread, in every order. Where that thread has learned of the other several
    /// times, only the last time counts for what it did before that: then this says no where the answer would be yes.
    #[inline]
    pub fn before(&self, earlier: Moment, later: Moment) -> bool {
        let known =
            self.0.get(usize::from(later.thread)).and_then(|clock| clock.known.get(usize::from(earlier.thread)));
        known.is_some_and(|known| known.before > earlier.segment && known.since <= later.segment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAIN: u16 = 0;

    #[test]
    fn creation_and_join_order_and_nothing_else_does() {
        let mut clocks = Clocks::default();
        let start = clocks.now(MAIN);
        clocks.create(MAIN, 1);
        let between = clocks.now(MAIN);
        clocks.create(MAIN, 2);
        let (one, two) = (clocks.now(1), clocks.now(2));
        assert!(clocks.before(start, one) && clocks.before(between, two) && !clocks.before(between, one));
        assert!(!clocks.before(one, two) && !clocks.before(two, one) && !clocks.before(one, between));
        clocks.join(MAIN, 1);
        let end = clocks.now(MAIN);
        assert!(clocks.before(one, end) && !clocks.before(two, end) && !clocks.before(one, between));
        clocks.create(MAIN, 3);
        let three = clocks.now(3);
        assert!(clocks.before(one, three) && !clocks.before(two, three));
    }
}
