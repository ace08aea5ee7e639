//! Who holds which mutexes: sets of mutexes, each stored once and known by a number, and what every thread holds at the moment, in the
//! order in which it got hold of them. That order tells which mutexes a thread has held without a break since some earlier moment.

use super::clocks::Moment;
use ordain_model::faults::{Fault, seeded};
use rustc_hash::FxHashMap;

/// A set of mutexes, by number.
pub(super) type Set = u32;
pub(super) const EMPTY: Set = 0;

#[derive(Clone, Debug)]
pub(super) struct Sets {
    /// The mutexes of each set, in order.
    sets: Vec<Box<[u32]>>,
    /// A bit for each mutex, shared by many: sets without a common bit have no common mutex.
    signs: Vec<u64>,
    numbers: FxHashMap<Box<[u32]>, Set>,
    added: FxHashMap<(Set, u32), Set>,
}

impl Default for Sets {
    fn default() -> Self {
        let numbers = FxHashMap::from_iter([(Box::default(), EMPTY)]);
        Sets { sets: vec![Box::default()], signs: vec![0], numbers, added: FxHashMap::default() }
    }
}

impl Sets {
    pub fn with(&mut self, set: Set, mutex: u32) -> Set {
        if let Some(&known) = self.added.get(&(set, mutex)) {
            return known;
        }
        let mut mutexes = self.sets[set as usize].to_vec();
        if let Err(at) = mutexes.binary_search(&mutex) {
            mutexes.insert(at, mutex);
        }
        let mutexes = mutexes.into_boxed_slice();
        let number = *self.numbers.entry(mutexes.clone()).or_insert_with(|| {
            self.signs.push(mutexes.iter().fold(0, |sign, mutex| sign | 1 << (mutex % u64::BITS)));
            self.sets.push(mutexes);
            self.sets.len() as Set - 1
        });
        self.added.insert((set, mutex), number);
        number
    }

    /// Whether two sets have a mutex in common.
    #[inline]
    pub fn meet(&self, a: Set, b: Set) -> bool {
        if self.signs[a as usize] & self.signs[b as usize] == 0 {
            return false;
        }
        a == b || self.sets[a as usize].iter().any(|mutex| self.sets[b as usize].binary_search(mutex).is_ok())
    }
}

/// A mutex that a thread holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub mutex: u32,
    pub address: u64,
    /// When and where it was locked.
    pub since: u64,
    pub place: u32,
    pub moment: Moment,
    /// It is held in every order: the thread has waited for it, or goes this way only if it got it.
    pub sure: bool,
    /// The sure ones, from the one that has been held longest to this one.
    set: Set,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Holder {
    held: Vec<Held>,
    /// Changes whenever a mutex is locked or unlocked.
    pub version: u32,
}

impl Holder {
    pub fn held(&self) -> &[Held] {
        &self.held
    }

    #[inline]
    pub fn set(&self) -> Set {
        self.held.last().map_or(EMPTY, |held| held.set)
    }

    /// What has been held since before the thread did something at `at`.
    #[inline]
    pub fn set_since(&self, at: u64) -> Set {
        self.held.iter().rev().find(|held| held.since < at).map_or(EMPTY, |held| held.set)
    }

    pub fn lock(&mut self, sets: &mut Sets, lock: Lock) {
        let Lock { mutex, address, at, place, moment, sure } = lock;
        self.version += 1;
        self.held.push(Held { mutex, address, since: at, place, moment, sure, set: EMPTY });
        self.count(sets, self.held.len() - 1);
    }

    pub fn unlock(&mut self, sets: &mut Sets, mutex: u32) {
        if seeded(Fault::UnlockKeeps) {
            return;
        }
        self.version += 1;
        if let Some(at) = self.held.iter().rposition(|held| held.mutex == mutex) {
            self.held.remove(at);
            self.count(sets, at);
        }
    }

    fn count(&mut self, sets: &mut Sets, from: usize) {
        for at in from..self.held.len() {
            let before = if at == 0 { EMPTY } else { self.held[at - 1].set };
            let Held { mutex, sure, .. } = self.held[at];
            self.held[at].set = if sure { sets.with(before, mutex) } else { before };
        }
    }
}

/// A thread gets hold of a mutex.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lock {
    pub mutex: u32,
    pub address: u64,
    pub at: u64,
    pub place: u32,
    pub moment: Moment,
    pub sure: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock(mutex: u32, at: u64) -> Lock {
        Lock { mutex, address: 0, at, place: 0, moment: Moment { thread: 0, segment: 0 }, sure: true }
    }

    #[test]
    fn the_same_mutexes_are_one_set() {
        let mut sets = Sets::default();
        let (one, two) = (sets.with(EMPTY, 1), sets.with(EMPTY, 2));
        assert_eq!(sets.with(one, 2), sets.with(two, 1));
        let both = sets.with(one, 2);
        // 65 has the sign of 1.
        let other = sets.with(EMPTY, 65);
        assert!(sets.meet(one, both) && !sets.meet(one, two) && !sets.meet(one, other) && !sets.meet(EMPTY, EMPTY));
    }

    #[test]
    fn a_section_that_was_left_is_another_one() {
        let (mut sets, mut holder) = (Sets::default(), Holder::default());
        holder.lock(&mut sets, lock(1, 10));
        holder.lock(&mut sets, lock(2, 20));
        holder.unlock(&mut sets, 1);
        holder.lock(&mut sets, lock(1, 30));
        assert_eq!(holder.set_since(25), sets.with(EMPTY, 2));
        assert_eq!(holder.set_since(15), EMPTY);
        assert_eq!(holder.set(), holder.set_since(40));
    }
}
