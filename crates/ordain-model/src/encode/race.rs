//! Data races: two conflicting accesses that no chain of program order and synchronisation connects.
//!
//! That there is no chain is what makes a race, not that the two can be next to each other: relaxed atomics order events
//! in time without synchronising. So for a given first access there is a literal per event, "happens after it", closed
//! under all edges of happens-before that the execution has; a race is a second access for which it is false.

use super::Encoding;
use crate::event::{EventId, EventKind};
use crate::faults::{Fault, seeded};
use crate::forest::Forest;
use ordain_ir::program::Ordering;
use ordain_solve::order::{Lit, OrderSolver};
use rustc_hash::FxHashMap;

/// Who happens after a given event.
pub struct HappensAfter {
    of: EventId,
    after: Vec<Lit>,
}

impl<S: OrderSolver> Encoding<S> {
    /// The goal "the accesses race, the first of them being first"; `None` if they cannot.
    pub fn races(&mut self, forest: &mut Forest, first: &HappensAfter, b: EventId) -> Option<Lit> {
        let a = first.of;
        let overlap = self.overlap(forest, a, b);
        if overlap == Lit::FALSE {
            return None;
        }
        let overlap = if seeded(Fault::RaceApart) { Lit::TRUE } else { overlap };
        let goal = self.solver.new_lit();
        for lit in [self.active(a), self.active(b), overlap, !first.after[b.0 as usize]] {
            self.imply(goal, lit);
        }
        self.imply_any(&[goal], &[self.writing(a), self.writing(b)]);
        self.order(&[goal], self.global(a), self.global(b));
        Some(goal)
    }

    pub fn happens_after(&mut self, forest: &Forest, a: EventId) -> HappensAfter {
        let after: Vec<Lit> = forest
            .event_ids()
            .map(|e| match () {
                () if e == a || forest.program_order(a, e) => Lit::TRUE,
                () => self.solver.new_lit(),
            })
            .collect();
        let this = HappensAfter { of: a, after };
        self.close_under_program_order(forest, &this);
        self.close_under_sync(forest, &this);
        self.close_under_atomics(forest, &this);
        this
    }

    fn close_under_program_order(&mut self, forest: &Forest, hb: &HappensAfter) {
        for n in forest.node_ids() {
            let node = forest.node(n);
            for pair in node.events.windows(2) {
                self.imply(hb.lit(pair[0]), hb.lit(pair[1]));
            }
            let Some(&first) = node.events.first() else { continue };
            match forest.last_before(n)[..] {
                [before] => self.imply(hb.lit(before), hb.lit(first)),
                ref ways => {
                    for &before in ways {
                        self.imply_any(&[hb.lit(before), self.executed(before)], &[hb.lit(first)]);
                    }
                }
            }
        }
    }

    fn close_under_sync(&mut self, forest: &Forest, hb: &HappensAfter) {
        for tree in forest.tree_ids() {
            let start = forest.node(forest.tree(tree).root).events[0];
            for create in self.sections.creates(tree).to_vec() {
                if !seeded(Fault::CreateNoSync) {
                    self.imply_any(&[hb.lit(create), self.executed(create)], &[hb.lit(start)]);
                }
            }
        }
        for (join, exits) in self.meetings.joined.clone() {
            for (exit, matched) in exits {
                if !seeded(Fault::JoinNoSync) {
                    self.imply_any(&[hb.lit(exit), matched], &[hb.lit(join)]);
                }
            }
        }
        for ((first, second), before) in self.meetings.before.clone() {
            for unlock in self.sections.unlocks(first).to_vec() {
                if !seeded(Fault::UnlockNoSync) {
                    self.imply_any(&[hb.lit(unlock), self.executed(unlock), before], &[hb.lit(second)]);
                }
            }
        }
    }

    /// Release and acquire, release sequences (continued by read-modify-writes), fences.
    fn close_under_atomics(&mut self, forest: &Forest, hb: &HappensAfter) {
        let atomic = |e: EventId| {
            let kind = &forest.event(e).kind;
            kind.access().is_some() && !kind.is_plain()
        };
        let writes: Vec<EventId> =
            forest.event_ids().filter(|&e| atomic(e) && forest.event(e).kind.is_write()).collect();
        // What a read that synchronises with the write comes after.
        let published: FxHashMap<EventId, Lit> = writes.iter().map(|&w| (w, self.solver.new_lit())).collect();
        for &w in &writes {
            if write_order(&forest.event(w).kind).is_some_and(releases) {
                self.imply(hb.lit(w), published[&w]);
            }
            for fence in fences(forest, releases).filter(|&f| forest.program_order(f, w)) {
                self.imply_any(&[hb.lit(fence), self.executed(fence)], &[published[&w]]);
            }
        }
        for r in forest.event_ids().filter(|&e| atomic(e) && forest.event(e).kind.is_read()) {
            for source in self.memory.cells[&r].clone().into_iter().flat_map(|c| c.sources) {
                let Some(&seen) = source.write.and_then(|w| published.get(&w)) else { continue };
                self.synchronise(forest, hb, r, source.lit, seen, &published);
            }
        }
    }

    fn synchronise(
        &mut self,
        forest: &Forest,
        hb: &HappensAfter,
        r: EventId,
        reads_from: Lit,
        seen: Lit,
        published: &FxHashMap<EventId, Lit>,
    ) {
        match forest.event(r).kind {
            EventKind::Read { .. } if seeded(Fault::AcquireNoSync) => {}
            EventKind::Read { order, .. } if order.is_some_and(acquires) => {
                self.imply_any(&[reads_from, seen], &[hb.lit(r)]);
            }
            EventKind::Rmw { order, failure, .. } => {
                let writes = self.writing(r);
                if !seeded(Fault::ReleaseSequenceEnds) {
                    self.imply_any(&[reads_from, seen, writes], &[published[&r]]);
                }
                if acquires(order) {
                    self.imply_any(&[reads_from, seen, writes], &[hb.lit(r)]);
                }
                if acquires(failure) {
                    self.imply_any(&[reads_from, seen, !writes], &[hb.lit(r)]);
                }
            }
            _ => {}
        }
        for fence in fences(forest, acquires).filter(|&f| forest.program_order(r, f)) {
            self.imply_any(&[reads_from, seen], &[hb.lit(fence)]);
        }
    }
}

impl HappensAfter {
    fn lit(&self, e: EventId) -> Lit {
        self.after[e.0 as usize]
    }
}

fn write_order(kind: &EventKind) -> Option<Ordering> {
    match kind {
        EventKind::Write { order, .. } => *order,
        EventKind::Rmw { order, .. } => Some(*order),
        _ => None,
    }
}

fn releases(order: Ordering) -> bool {
    matches!(order, Ordering::Release | Ordering::AcqRel | Ordering::SeqCst) || seeded(Fault::RelaxedReleases)
}

fn acquires(order: Ordering) -> bool {
    matches!(order, Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst) || seeded(Fault::RelaxedAcquires)
}

fn fences(forest: &Forest, strength: fn(Ordering) -> bool) -> impl Iterator<Item = EventId> + '_ {
    forest.event_ids().filter(move |&e| matches!(forest.event(e).kind, EventKind::Fence { order } if strength(order)))
}
