//! Where windows of a long run are laid: around the stretches in which candidates are, so that few windows have all of them.

use crate::filter::{Candidate, Kind, Span};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Sizes of windows, in points: the smallest that a stretch fits into is taken.
const SIZES: [u64; 4] = [1_024, 4_096, 16_384, 65_536];

/// A window of a run, from the point `first` on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Laid {
    pub first: u64,
    pub points: u64,
    /// What may be found there.
    pub kinds: Vec<Kind>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Plan {
    /// In the order of the run.
    pub windows: Vec<Laid>,
    /// Candidates whose stretches are too long.
    pub out_of_reach: u32,
}

/// The windows for these candidates, of which each has been looked at `attempt` times before.
pub(crate) fn plan(candidates: &[Candidate], open: &[usize], attempt: usize, points: u64) -> Plan {
    let mut in_window: BTreeMap<(u64, u64), BTreeSet<usize>> = BTreeMap::new();
    let mut plan = Plan::default();
    for &c in open {
        let mut windows: Vec<(u64, u64)> = Vec::new();
        for around in candidates[c].spans.iter().filter_map(|&span| window(span, points)) {
            if !windows.contains(&around) {
                windows.push(around);
            }
        }
        plan.out_of_reach += u32::from(windows.is_empty());
        // What was looked at before is not looked at again; what is left, any of them will do.
        for &window in windows.get(attempt..).unwrap_or_default() {
            in_window.entry(window).or_default().insert(c);
        }
    }
    // The window that has most of what is left comes first, until all are in one.
    let mut chosen: BTreeMap<(u64, u64), BTreeSet<Kind>> = BTreeMap::new();
    let most = |(at, inside): &(&(u64, u64), &BTreeSet<usize>)| (inside.len(), Reverse(at.1), Reverse(at.0));
    while let Some((&best, _)) = in_window.iter().max_by_key(most) {
        let inside = in_window.remove(&best).unwrap_or_default();
        chosen.entry(best).or_default().extend(inside.iter().map(|&c| candidates[c].kind));
        in_window.values_mut().for_each(|others| others.retain(|c| !inside.contains(c)));
        in_window.retain(|_, others| !others.is_empty());
    }
    let laid =
        |((first, points), kinds): (_, BTreeSet<Kind>)| Laid { first, points, kinds: kinds.into_iter().collect() };
    plan.windows = chosen.into_iter().map(laid).collect();
    plan
}

/// The window around a stretch: as much again before it, since what comes before may have to come in another order, too.
fn window(span: Span, points: u64) -> Option<(u64, u64)> {
    let size = SIZES.into_iter().find(|size| span.last - span.first <= size / 2)?;
    let step = size / 4;
    let first = span.first.saturating_sub(step) / step * step;
    Some((first, size.min(points.saturating_sub(first))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(kind: Kind, spans: &[(u64, u64)]) -> Candidate {
        let spans = spans.iter().map(|&(first, last)| Span::around(&[first, last])).collect();
        Candidate { kind, places: Vec::new(), spans, instances: 1 }
    }

    #[test]
    fn a_window_has_its_stretch_and_something_before() {
        for (first, last) in [(1, 2), (5_000, 5_010), (40_000, 47_000), (100_000, 130_000)] {
            let (from, size) = window(Span::around(&[first, last]), 1_000_000).expect("it fits");
            assert!(from < first && last < from + size, "{first} to {last}: {size} from {from}");
        }
        assert_eq!(window(Span::around(&[0, 70_000]), 1_000_000), None);
    }

    #[test]
    fn candidates_that_lie_together_share_a_window() {
        let together = [candidate(Kind::Race, &[(9_000, 9_100)]), candidate(Kind::Wait, &[(2, 3), (9_050, 9_050)])];
        let plan = plan(&together, &[0, 1], 0, 1_000_000);
        assert_eq!(plan.windows.len(), 1);
        assert_eq!(plan.windows[0].kinds, [Kind::Race, Kind::Wait]);
    }

    #[test]
    fn another_attempt_is_made_elsewhere() {
        let twice = [candidate(Kind::Race, &[(2, 3), (50_000, 50_001)])];
        let windows = |attempt| plan(&twice, &[0], attempt, 1_000_000).windows;
        assert_ne!(windows(0), windows(1));
        assert!(windows(2).is_empty());
    }
}
