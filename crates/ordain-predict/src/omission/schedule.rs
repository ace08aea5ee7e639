//! The schedule of a run without what is left out.

use ordain_model::names::ThreadName;
use ordain_model::witness::Turn;
use rustc_hash::FxHashMap;

/// A place in the schedule of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Cursor {
    turn: usize,
    /// Points of that turn that are over.
    into: u32,
}

impl Cursor {
    pub fn advance(&mut self, schedule: &[Turn], points: u64) {
        let mut left = points;
        while left > 0
            && let Some(turn) = schedule.get(self.turn)
        {
            let rest = length(turn) - u64::from(self.into);
            if left < rest {
                self.into += left as u32;
                return;
            }
            left -= rest;
            *self = Cursor { turn: self.turn + 1, into: 0 };
        }
    }

    /// What is left of the schedule, as far as threads are to go. `None` if it does not lead there.
    pub fn rest(self, schedule: &[Turn], ways: &mut FxHashMap<&ThreadName, Way>) -> Option<Vec<Turn>> {
        let mut left: u64 = ways.values().map(|way| u64::from(way.to.saturating_sub(way.at))).sum();
        let mut rest = Vec::new();
        for (nth, turn) in schedule[self.turn.min(schedule.len())..].iter().enumerate() {
            if left == 0 {
                break;
            }
            let points = length(turn) - if nth == 0 { u64::from(self.into) } else { 0 };
            let Some(way) = ways.get_mut(turn.thread()) else { continue };
            let points = points.min(u64::from(way.to.saturating_sub(way.at))) as u32;
            let over = way.from.saturating_sub(way.at).min(points);
            way.at += points;
            left -= u64::from(points);
            let points = points - over;
            if points == 0 {
                continue;
            }
            rest.push(match turn {
                Turn::Run { thread, .. } => Turn::Run { thread: thread.clone(), points },
                other => other.clone(),
            });
        }
        (left == 0).then_some(rest)
    }
}

/// How far a thread is where the schedule goes on, from where on it is to be followed, and how far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Way {
    pub at: u32,
    pub from: u32,
    pub to: u32,
}

/// How many points it has.
pub(super) fn length(turn: &Turn) -> u64 {
    match turn {
        Turn::Run { points, .. } => u64::from(*points),
        Turn::Choose { .. } | Turn::Commit { .. } => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(thread: &ThreadName, points: u32) -> Turn {
        Turn::Run { thread: thread.clone(), points }
    }

    fn way(at: u32, from: u32, to: u32) -> Way {
        Way { at, from, to }
    }

    #[test]
    fn what_is_left_out_is_left_out() {
        let (main, child) = (ThreadName::main(), ThreadName::main().child(1));
        let choose = Turn::Choose { thread: child.clone(), outcome: 1 };
        let schedule = [run(&main, 5), run(&child, 3), run(&main, 4), choose.clone(), run(&main, 2)];
        let mut cursor = Cursor::default();
        cursor.advance(&schedule, 6);
        let mut ways = FxHashMap::from_iter([(&main, way(5, 5, 7)), (&child, way(1, 1, 4))]);
        let rest = cursor.rest(&schedule, &mut ways).expect("it leads there");
        assert_eq!(rest, [run(&child, 2), run(&main, 2), choose.clone()]);
        let mut later = FxHashMap::from_iter([(&main, way(5, 7, 10)), (&child, way(1, 3, 4))]);
        assert_eq!(cursor.rest(&schedule, &mut later), Some(vec![run(&main, 2), choose, run(&main, 1)]));
        let mut further = FxHashMap::from_iter([(&main, way(5, 5, 12))]);
        assert_eq!(cursor.rest(&schedule, &mut further), None);
    }
}
