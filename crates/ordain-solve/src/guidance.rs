//! What to decide next: justify what is there, leave the rest alone.
//!
//! Executions are prefix-closed, so a thread that nothing needs need not run at all. A *choice* says that under some
//! condition one of several things is the reason for it: the write that a read takes its value from, the exit that a join
//! has waited for, which of two critical sections was first. Deciding nothing but the choices whose conditions hold is a
//! search backwards from the goal through what it depends on; everything else stays at its phase, which is "no". That
//! finds executions quickly where there are any. Where there are none, the solver's own activities are the better guide,
//! so whoever asks may turn this off.

use crate::order::Lit;
use rustc_hash::FxHashMap;

/// One way to satisfy a choice.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    pub lit: Lit,
    /// What it brings into the execution: a way that brings nothing new is tried first.
    pub needs: Lit,
}

struct Choice {
    condition: Lit,
    ways: Vec<Way>,
}

#[derive(Clone, Copy)]
struct Mark {
    open: usize,
    settled: usize,
}

#[derive(Default)]
pub(crate) struct Guidance {
    choices: Vec<Choice>,
    by_condition: FxHashMap<Lit, Vec<u32>>,
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

    pub fn add(&mut self, condition: Lit, ways: Vec<Way>) {
        let index = self.choices.len() as u32;
        self.choices.push(Choice { condition, ways });
        self.by_condition.entry(condition).or_default().push(index);
        if condition == Lit::TRUE {
            self.open.push(index);
        }
    }

    pub fn assign(&mut self, lit: Lit) {
        if let Some(choices) = self.by_condition.get(&lit) {
            self.open.extend(choices);
        }
    }

    pub fn new_level(&mut self) {
        self.levels.push(Mark { open: self.open.len(), settled: self.settled });
    }

    pub fn backtrack(&mut self, level: usize) {
        if let Some(&Mark { open, settled }) = self.levels.get(level) {
            self.levels.truncate(level);
            self.open.truncate(open);
            self.settled = settled.min(open);
        }
    }

    /// A literal worth deciding, to be true.
    pub fn next(&mut self, value: impl Fn(Lit) -> Option<bool>) -> Option<Lit> {
        if !self.on {
            return None;
        }
        while let Some(&index) = self.open.get(self.settled) {
            let Choice { condition, ways } = &self.choices[index as usize];
            let holds = value(*condition) == Some(true);
            if holds && !ways.iter().any(|way| value(way.lit) == Some(true)) {
                let undecided = || ways.iter().filter(|way| value(way.lit).is_none());
                let cheap = undecided().find(|way| value(way.needs) == Some(true));
                if let Some(way) = cheap.or_else(|| undecided().next()) {
                    return Some(way.lit);
                }
            }
            self.settled += 1;
        }
        None
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
        let ways = vec![Way { lit: first, needs: Lit::FALSE }, Way { lit: second, needs: needed }];
        guidance.add(condition, ways);
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
}
