//! Where windows of a long run are laid: around the stretches in which candidates are, so that few windows have all of them.

use crate::filter::{Candidate, Span};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Sizes of windows, in points: the smallest that a stretch fits into is taken.
const SIZES: [u64; 6] = [128, 512, 2_048, 8_192, 32_768, 65_536];

/// Windows that have become as large as this do not become larger with the next attempt: what they show takes much more time, and is
/// hardly more.
const LARGEST_GROWN: usize = 2;

/// A window of a run, from the point `first` on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Laid {
    pub first: u64,
    pub points: u64,
    /// What may be found there: candidates, by number, each with where in the window it may be.
    pub candidates: Vec<(usize, Span)>,
}

/// The windows for these candidates, of which each has been looked at `attempt` times before, in the order of the run. Each time they are
/// larger, and elsewhere if there is anything. Candidates whose stretches are too long are in none.
pub(crate) fn plan(candidates: &[Candidate], open: &[usize], attempt: usize, points: u64) -> Vec<Laid> {
    let mut in_window: BTreeMap<(u64, u64), BTreeMap<usize, Span>> = BTreeMap::new();
    for &c in open {
        let spans = &candidates[c].spans;
        // The shortest come first, and what is longer costs more.
        let left = match spans.get(attempt..).filter(|left| !left.is_empty()) {
            Some(left) => left,
            None if spans.first().is_some_and(|&span| size(span, attempt) == size(span, attempt - 1)) => continue,
            None => spans,
        };
        let smallest = left.first().and_then(|&span| size(span, attempt));
        for &span in left.iter().filter(|&&span| size(span, attempt) == smallest) {
            let Some(size) = smallest else { break };
            let around = window(span, size, points);
            in_window.entry(around).or_default().entry(c).or_insert(span);
        }
    }
    // The window that has most of what is left comes first, until all are in one.
    let mut chosen: BTreeMap<(u64, u64), Vec<(usize, Span)>> = BTreeMap::new();
    let most = |(at, inside): &(&(u64, u64), &BTreeMap<usize, Span>)| (inside.len(), Reverse(at.1), Reverse(at.0));
    while let Some((&best, _)) = in_window.iter().max_by_key(most) {
        let inside = in_window.remove(&best).unwrap_or_default();
        in_window.values_mut().for_each(|others| others.retain(|c, _| !inside.contains_key(c)));
        in_window.retain(|_, others| !others.is_empty());
        chosen.entry(best).or_default().extend(inside);
    }
    let laid = |((first, points), candidates)| Laid { first, points, candidates };
    chosen.into_iter().map(laid).collect()
}

/// Whether there is a stretch that a window can be laid around.
pub(crate) fn has_window(candidate: &Candidate) -> bool {
    candidate.spans.iter().any(|&span| size(span, 0).is_some())
}

/// How large the window around a stretch is.
fn size(span: Span, attempt: usize) -> Option<u64> {
    let fits = SIZES.iter().position(|size| span.last - span.first <= size / 2)?;
    Some(SIZES[(fits + attempt).min(LARGEST_GROWN).max(fits)])
}

/// The window around a stretch: as much again before it, since what comes before may have to come in another order, too.
fn window(span: Span, size: u64, points: u64) -> (u64, u64) {
    let step = size / 4;
    let first = span.first.saturating_sub(step) / step * step;
    (first, size.min(points.saturating_sub(first)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::Kind;

    fn candidate(kind: Kind, spans: &[(u64, u64)]) -> Candidate {
        let spans = spans.iter().map(|&(first, last)| Span::around(&[first, last])).collect();
        Candidate { kind, places: Vec::new(), spans, instances: 1 }
    }

    #[test]
    fn a_window_has_its_stretch_and_something_before() {
        for (first, last) in [(1, 2), (5_000, 5_010), (40_000, 47_000), (100_000, 130_000)] {
            for attempt in 0..3 {
                let span = Span::around(&[first, last]);
                let (from, size) = window(span, size(span, attempt).expect("it fits"), 1_000_000);
                assert!(from < first && last < from + size, "{first} to {last}: {size} from {from}");
            }
        }
        assert_eq!(size(Span::around(&[0, 70_000]), 0), None);
    }

    #[test]
    fn candidates_that_lie_together_share_a_window() {
        let together = [candidate(Kind::Race, &[(9_000, 9_010)]), candidate(Kind::Wait, &[(2, 3), (9_005, 9_005)])];
        let plan = plan(&together, &[0, 1], 0, 1_000_000);
        assert_eq!(plan.len(), 1);
        let spans = [Span::around(&[9_000, 9_010]), Span::around(&[9_005, 9_005])];
        assert_eq!(plan[0].candidates, [(0, spans[0]), (1, spans[1])]);
    }

    #[test]
    fn another_attempt_is_made_elsewhere_and_in_a_larger_window() {
        let twice = [candidate(Kind::Race, &[(2, 3), (50_000, 50_001)])];
        let windows = |attempt| plan(&twice, &[0], attempt, 1_000_000);
        assert!(windows(0)[0].first < 10);
        assert!(windows(1)[0].first > 10 && windows(1)[0].points > windows(0)[0].points);
        assert!(windows(2)[0].points > windows(1)[0].points, "there is nowhere else");
        assert!(windows(3).is_empty(), "the same would be seen again");
    }
}
