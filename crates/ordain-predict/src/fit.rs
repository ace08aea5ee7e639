//! How much of a run a window can have.
//!
//! What a window costs is decided by how often threads come to the same memory in it: a solver has to be told of every write and every
//! access to the same place which of them comes first. That is counted in the log, from the stretch that a window is laid for to both
//! sides, and where it is too much the window ends. So a window is long where threads are busy with themselves, and short where they
//! are with each other.

use ordain_vm::{Action, Executed, ThreadId};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Points that a window has on either side of the stretch that it is laid for, besides a quarter of that.
const MARGIN: usize = 1_024;

/// What each event of a part of a run adds to the cost of a window that has it.
pub(crate) struct Costs {
    /// Of each point in order: the words that are touched there which other threads touch as well, and whether they are written.
    shared: Vec<Vec<(u64, bool)>>,
}

/// How often a window writes and reads a word.
type Counts = FxHashMap<u64, (u64, u64)>;

impl Costs {
    pub fn of(log: &[Executed]) -> Costs {
        let touched: Vec<Vec<(u64, bool)>> = log.iter().map(|executed| touched(&executed.action)).collect();
        // Whether others do, and whether anybody writes.
        let mut words: FxHashMap<u64, (ThreadId, bool, bool)> = FxHashMap::default();
        for (executed, touched) in log.iter().zip(&touched) {
            for &(word, writes) in touched {
                let (first, many, written) = words.entry(word).or_insert((executed.thread, false, false));
                *many |= *first != executed.thread;
                *written |= writes;
            }
        }
        let is_shared = |(word, _): &(u64, bool)| words.get(word).is_some_and(|&(_, many, written)| many && written);
        Costs { shared: touched.into_iter().map(|words| words.into_iter().filter(is_shared).collect()).collect() }
    }

    /// What a window costs that has these points.
    pub fn of_points(&self, points: Range<usize>) -> u64 {
        let mut counts = Counts::default();
        points.map(|at| self.add(&mut counts, at)).sum()
    }

    /// How many of these points have to do with other threads.
    pub fn shared(&self, points: Range<usize>) -> usize {
        let end = points.end.min(self.shared.len());
        self.shared[points.start.min(end)..end].iter().filter(|words| !words.is_empty()).count()
    }

    /// The most that a window around these points can have. What comes before them may have to come in another order, so most of what
    /// there is to spend is spent on that.
    pub fn fit(&self, inside: Range<usize>, most: u64) -> Range<usize> {
        let mut counts = Counts::default();
        let mut cost: u64 = inside.clone().map(|at| self.add(&mut counts, at)).sum();
        let for_end = cost + most.saturating_sub(cost) / 4;
        // Not all points leave something in the log.
        let mut end = inside.end.min(self.shared.len());
        let mut first = inside.start.min(end);
        let margin = MARGIN + inside.len() / 4;
        let (earliest, latest) = (first.saturating_sub(margin), self.shared.len().min(end + margin));
        while end < latest && cost <= for_end {
            cost += self.add(&mut counts, end);
            end += 1;
        }
        while first > earliest && cost <= most {
            first -= 1;
            cost += self.add(&mut counts, first);
        }
        first..end
    }

    fn add(&self, counts: &mut Counts, at: usize) -> u64 {
        let mut cost = 0;
        for &(word, write) in self.shared.get(at).map_or(&[][..], |words| words) {
            let (writes, reads) = counts.entry(word).or_default();
            cost += if write { *writes + *reads } else { *writes };
            *(if write { writes } else { reads }) += 1;
        }
        cost
    }
}

/// The words that an action touches, and whether it writes them. To lock a mutex is to write it.
fn touched(action: &Action) -> Vec<(u64, bool)> {
    let (address, size, writes) = match *action {
        Action::Load { address, size, .. } => (address, size, false),
        Action::Store { address, size, .. } | Action::Rmw { address, size, .. } => (address, size, true),
        Action::CmpXchg { address, size, .. } => (address, size, true),
        Action::Lock { address }
        | Action::TryLock { address, .. }
        | Action::Enqueue { condition: address }
        | Action::Signal { condition: address, .. } => (address, 1, true),
        _ => return Vec::new(),
    };
    (address / 8..(address + u64::from(size)).div_ceil(8)).map(|word| (word, writes)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs(words: &[&[(u64, bool)]]) -> Costs {
        Costs { shared: words.iter().map(|words| words.to_vec()).collect() }
    }

    #[test]
    fn writes_cost_as_much_as_there_are_accesses() {
        let costs = costs(&[&[(1, true)], &[(1, false)], &[(2, false)], &[(1, true)], &[(1, false)]]);
        assert_eq!(costs.of_points(0..5), 1 + 2 + 2);
        assert_eq!(costs.of_points(1..3), 0);
    }

    #[test]
    fn a_window_is_long_where_threads_are_busy_with_themselves() {
        let alone: &[(u64, bool)] = &[];
        let shared: &[(u64, bool)] = &[(1, true)];
        let quiet = costs(&[alone; 100]);
        assert_eq!(quiet.fit(50..52, 10), 0..100);
        let busy = costs(&[shared; 100]);
        let fits = busy.fit(50..52, 10);
        assert!(fits.start > 40 && fits.start < 50 && fits.end < 60, "{fits:?}");
    }
}
