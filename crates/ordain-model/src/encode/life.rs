//! Lifetimes: nothing is accessed, and nothing freed, after it was freed.
//!
//! Executions go on only where that holds; that it does not is a goal of its own (`goals`).

use super::Encoding;
use super::program_order::is_store;
use crate::event::{EventId, EventKind};
use crate::faults::{Fault, seeded};
use crate::forest::Forest;
use crate::witness::MemoryModel;
use ordain_solve::order::OrderSolver;
use rustc_hash::FxHashMap;

impl<S: OrderSolver> Encoding<S> {
    pub(super) fn encode_lifetimes(&mut self, forest: &Forest) {
        let frees = frees(forest);
        for e in forest.event_ids() {
            let Some(object) = object_of(forest, e) else { continue };
            for &free in frees.get(&object).map_or(&[][..], |f| f) {
                self.keep_alive(forest, e, free);
            }
        }
    }

    /// `e` touches what `free` ends the life of: if both take place, `e` does first.
    fn keep_alive(&mut self, forest: &Forest, e: EventId, free: EventId) {
        if e == free || forest.thread(e) == forest.thread(free) {
            // What a thread frees itself, it knows to be dead: that is settled on its own path.
            return;
        }
        let both = [self.active(e), self.executed(free)];
        match forest.event(e).kind {
            EventKind::Free { .. } if seeded(Fault::FreedTwice) => {}
            EventKind::Free { .. } => self.imply_any(&both, &[]),
            _ if seeded(Fault::TouchedWhenFreed) => {}
            _ => {
                self.order(&both, self.global(e), self.global(free));
                // The function returns at the moment of its last point, which may be one of several.
                for (point, mut conditions) in self.points_of_return(forest, free) {
                    let elsewhere = self.global(point) != self.global(free) && !seeded(Fault::ReturnsLater);
                    if elsewhere && (self.model == MemoryModel::Sc || !is_store(forest, point)) {
                        conditions.extend(both);
                        self.order(&conditions, self.global(e), self.global(point));
                    }
                }
            }
        }
    }
}

/// The object whose life an event depends on.
pub(super) fn object_of(forest: &Forest, e: EventId) -> Option<u64> {
    match &forest.event(e).kind {
        EventKind::Free { object, .. } => Some(*object),
        EventKind::Lock { mutex, .. } | EventKind::Unlock { mutex, .. } | EventKind::Busy { mutex } => {
            forest.object_at(*mutex)
        }
        EventKind::Enqueue { condition }
        | EventKind::Signal { condition, .. }
        | EventKind::Waiters { condition, .. } => forest.object_at(*condition),
        kind => kind.access().map(|(address, _)| address.object),
    }
}

/// The events that end an object's life, by object.
pub(super) fn frees(forest: &Forest) -> FxHashMap<u64, Vec<EventId>> {
    let mut frees: FxHashMap<u64, Vec<EventId>> = FxHashMap::default();
    for e in forest.event_ids() {
        if let EventKind::Free { object, .. } = forest.event(e).kind {
            frees.entry(object).or_default().push(e);
        }
    }
    frees
}
