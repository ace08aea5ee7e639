//! What to decide next: justify what is there, leave the rest alone.
//!
//! Executions are prefix-closed, so a thread that nothing needs need not run at all. A *choice* says that under some
//! condition one of several things is the reason for it: the write that a read takes its value from, the exit that a join
//! has waited for, which of two critical sections was first. Deciding nothing but the choices whose conditions hold is a
//! search backwards from the goal through what it depends on; everything else stays at its phase, which is "no". That
//! finds executions quickly where there are any. It follows the values: once a read is given a source, the reads that the
//! written value was computed from come next. Where there are none, the solver's own activities are the better guide,
//! so whoever asks may turn this off.

use crate::order::Lit;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What a choice is about: an event, by its number.
pub type About = u32;

/// One way to satisfy a choice.
#[derive(Clone, Debug)]
pub struct Way {
    pub lit: Lit,
    /// What it brings into the execution: a way that brings nothing new is tried first.
    pub needs: Lit,
    /// What is to be settled next if it is taken.
    pub then: Rc<[About]>,
}

/// So many of the choices that were made urgent last are looked at.
const MOST_URGENT: usize = 64;

struct Choice {
    condition: Lit,
    ways: Vec<Way>,
}

#[derive(Clone, Copy)]
struct Mark {
    open: usize,
    settled: usize,
    urgent: usize,
}

#[derive(Default)]
pub(crate) struct Guidance {
    choices: Vec<Choice>,
    by_condition: FxHashMap<Lit, Vec<u32>>,
    by_subject: FxHashMap<About, Vec<u32>>,
    /// What is to be settled next when a way is taken.
    then: FxHashMap<Lit, Rc<[About]>>,
    /// In the order in which ways were taken.
    urgent: Vec<About>,
    /// Choices whose conditions hold, in the order in which they came to hold.
    open: Vec<u32>,
    /// So many of them, from the first on, have a way that holds.
    settled: usize,
    levels: Vec<Mark>,
    pub on: bool,
}

impl Guidance {
    pub fn new() -> Guidance {
        Guidance { on: true, ..Guidance::default() }
    }

    pub fn add(&mut self, about: About, condition: Lit, ways: Vec<Way>) {
        let index = self.choices.len() as u32;
        for way in ways.iter().filter(|way| !way.then.is_empty()) {
            self.then.insert(way.lit, Rc::clone(&way.then));
        }
        self.choices.push(Choice { condition, ways });
        self.by_condition.entry(condition).or_default().push(index);
        self.by_subject.entry(about).or_default().push(index);
        if condition == Lit::TRUE {
            self.open.push(index);
        }
    }

    pub fn assign(&mut self, lit: Lit) {
        if let Some(choices) = self.by_condition.get(&lit) {
            self.open.extend(choices);
        }
        if let Some(then) = self.then.get(&lit) {
            self.urgent.extend(then.iter());
        }
    }

    pub fn new_level(&mut self) {
        self.levels.push(Mark { open: self.open.len(), settled: self.settled, urgent: self.urgent.len() });
    }

    pub fn backtrack(&mut self, level: usize) {
        if let Some(&Mark { open, settled, urgent }) = self.levels.get(level) {
            self.levels.truncate(level);
            self.open.truncate(open);
            self.urgent.truncate(urgent);
            self.settled = settled.min(open);
        }
    }

    /// A literal worth deciding, to be true.
    pub fn next(&mut self, value: impl Fn(Lit) -> Option<bool>) -> Option<Lit> {
        if !self.on {
            return None;
        }
        let urgent = self.urgent.iter().rev().take(MOST_URGENT);
        let urgent = urgent.flat_map(|about| self.by_subject.get(about).map_or(&[][..], |choices| choices));
        if let Some(lit) = urgent.filter_map(|&index| self.open_way(index, &value)).next() {
            return Some(lit);
        }
        while let Some(&index) = self.open.get(self.settled) {
            if let Some(lit) = self.open_way(index, &value) {
                return Some(lit);
            }
            self.settled += 1;
        }
        None
    }

    /// The way to try, if the choice is open.
    fn open_way(&self, index: u32, value: impl Fn(Lit) -> Option<bool>) -> Option<Lit> {
        let Choice { condition, ways } = &self.choices[index as usize];
        if value(*condition) != Some(true) || ways.iter().any(|way| value(way.lit) == Some(true)) {
            return None;
        }
        let undecided = || ways.iter().filter(|way| value(way.lit).is_none());
        let cheap = undecided().find(|way| value(way.needs) == Some(true));
        cheap.or_else(|| undecided().next()).map(|way| way.lit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_open_and_close_with_their_conditions() {
        let lit = Lit::from_dimacs;
        let (condition, first, second, needed) = (lit(2), lit(3), lit(4), lit(5));
        let mut guidance = Guidance::new();
        let way = |lit, needs| Way { lit, needs, then: Rc::default() };
        guidance.add(0, condition, vec![way(first, Lit::FALSE), way(second, needed)]);
        let mut known = FxHashMap::from_iter([(Lit::TRUE, true)]);
        assert_eq!(guidance.next(|l| known.get(&l).copied()), None);
        guidance.new_level();
        known.insert(condition, true);
        guidance.assign(condition);
        assert_eq!(guidance.next(|l| known.get(&l).copied()), Some(first));
        known.insert(needed, true);
        assert_eq!(guidance.next(|l| known.get(&l).copied()), Some(second));
        known.insert(second, true);
        assert_eq!(guidance.next(|l| known.get(&l).copied()), None);
        guidance.backtrack(0);
        known.clear();
        assert_eq!(guidance.next(|l| known.get(&l).copied()), None);
        known.insert(condition, true);
        guidance.new_level();
        guidance.assign(condition);
        assert_eq!(guidance.next(|l| known.get(&l).copied()), Some(first));
    }

    #[test]
    fn what_a_value_was_computed_from_comes_next() {
        let lit = Lit::from_dimacs;
        let (source, other, inner) = (lit(3), lit(4), lit(5));
        let mut guidance = Guidance::new();
        guidance.add(0, Lit::TRUE, vec![Way { lit: source, needs: Lit::FALSE, then: Rc::new([2]) }]);
        guidance.add(1, Lit::TRUE, vec![Way { lit: other, needs: Lit::FALSE, then: Rc::default() }]);
        guidance.add(2, Lit::TRUE, vec![Way { lit: inner, needs: Lit::FALSE, then: Rc::default() }]);
        let mut known = FxHashMap::from_iter([(Lit::TRUE, true)]);
        assert_eq!(guidance.next(|l| known.get(&l).copied()), Some(source));
        guidance.new_level();
        known.insert(source, true);
        guidance.assign(source);
        assert_eq!(guidance.next(|l| known.get(&l).copied()), Some(inner));
        known.insert(inner, true);
        assert_eq!(guidance.next(|l| known.get(&l).copied()), Some(other));
    }
}
