//! When events take place, and which of a thread's own events are ordered.
//!
//! Under SC all of them are. Under TSO and PSO a store takes place when it reaches memory, which may be after later
//! loads (TSO) and later stores to other places (PSO); synchronisation, read-modify-writes and fences order everything.
//! What a thread sees of its own stores is kept by the coherence order of each location.

use super::Encoding;
use crate::event::{Event, EventId, EventKind};
use crate::faults::{Fault, seeded};
use crate::forest::{Entry, Forest, NodeId, TreeId};
use crate::meeting::Way;
use crate::witness::MemoryModel;
use ordain_ir::program::Ordering;
use ordain_solve::order::{Access, Lit, Node, OrderSolver};
use rustc_hash::FxHashMap;

/// What later events of the thread have to come after.
#[derive(Clone, Default)]
struct Past {
    /// The last event that everything later is ordered after.
    barrier: Option<Node>,
    /// Stores that only synchronisation (and, under TSO, stores) waits for.
    stores: Vec<Node>,
    /// The last barrier for stores alone.
    store_barrier: Option<Node>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Load,
    Store {
        release: bool,
    },
    /// Orders stores before it and stores after it.
    StoreFence,
    /// Ordered with everything.
    Full,
    /// Orders nothing, but does not come before what was executed earlier.
    Local,
}

impl<S: OrderSolver> Encoding<S> {
    pub(super) fn place_events(&mut self, forest: &Forest) {
        for e in forest.event_ids() {
            let global = self.shared_moment(forest, e).unwrap_or_else(|| self.solver.new_node());
            let weak = self.model != MemoryModel::Sc && forest.event(e).kind.access().is_some();
            let coherence = weak.then(|| self.solver.new_node());
            self.moments.push(Access { global, coherence });
        }
    }

    /// Events of one step of the machine, and of one atomic section, take place at one moment. (Under weak memory a store
    /// has a moment of its own, and most of what is in one step is ordered anyway.)
    fn shared_moment(&self, forest: &Forest, e: EventId) -> Option<Node> {
        if self.model != MemoryModel::Sc {
            let point = *possible_points_of_return(forest, e).first()?;
            let same_step = forest.event(point).step == forest.event(e).step;
            let shared = same_step && !is_store(forest, point) && !seeded(Fault::ReturnsLater);
            return shared.then(|| self.global(point));
        }
        // What follows a meeting in the step before it is nothing that others see: its moment does not matter.
        let before = previous(forest, e)?;
        let same_step = forest.event(before).step == forest.event(e).step;
        (same_step || self.in_atomic_section(forest, before)).then(|| self.global(before))
    }

    /// Whether an atomic section goes on after `e`.
    pub(super) fn in_atomic_section(&self, forest: &Forest, e: EventId) -> bool {
        if !self.sections.has_atomic() {
            return false;
        }
        let mut at = Some(e);
        while let Some(event) = at {
            match forest.event(event).kind {
                EventKind::AtomicBegin => return true,
                EventKind::AtomicEnd { .. } => return false,
                _ => at = previous(forest, event),
            }
        }
        false
    }

    pub(super) fn encode_program_order(&mut self, forest: &mut Forest) {
        for tree in forest.tree_ids() {
            self.order_tree(forest, tree);
        }
        if self.model != MemoryModel::Sc {
            self.encode_coherence(forest);
        }
    }

    fn order_tree(&mut self, forest: &Forest, tree: TreeId) {
        let mut pasts: FxHashMap<NodeId, Past> = FxHashMap::default();
        for n in forest.in_order(tree) {
            let mut past = match &forest.node(n).entry {
                Entry::Root => Past { barrier: Some(self.origin.global), ..Past::default() },
                Entry::Outcome(parent, _) => pasts[parent].clone(),
                Entry::Meeting(meeting) => {
                    let ways = meeting.ways.iter().map(|way| (self.taken(way), &pasts[&way.from]));
                    let ways: Vec<(Lit, &Past)> = ways.collect();
                    self.past_of_all(&ways)
                }
            };
            for &e in &forest.node(n).events {
                self.order_event(forest, e, &mut past);
            }
            pasts.insert(n, past);
        }
    }

    /// Under which condition what is on a way to a meeting orders what comes before the way and what comes after the meeting.
    /// Under SC these are in that order anyway. Under weak memory the way must be taken: if only one way has a fence, loads
    /// after the meeting may overtake stores before it on the others.
    fn taken(&self, way: &Way) -> Lit {
        match self.model {
            MemoryModel::Sc => Lit::TRUE,
            _ => self.finished(way.from),
        }
    }

    /// What comes after a meeting comes after what is on any of the ways to it: on those that were not taken, nothing
    /// happens.
    fn past_of_all(&mut self, ways: &[(Lit, &Past)]) -> Past {
        let ways = if seeded(Fault::AfterFirstWay) { &ways[..1] } else { ways };
        let barrier = self.after_all(ways.iter().map(|(taken, past)| (*taken, past.barrier)));
        let store_barrier = self.after_all(ways.iter().map(|(taken, past)| (*taken, past.store_barrier)));
        let mut stores: Vec<Node> = ways.iter().flat_map(|(_, past)| &past.stores).copied().collect();
        stores.sort();
        stores.dedup();
        Past { barrier, stores, store_barrier }
    }

    /// A moment after the barrier of the way that is taken.
    fn after_all(&mut self, ways: impl Iterator<Item = (Lit, Option<Node>)>) -> Option<Node> {
        let ways: Vec<(Lit, Option<Node>)> = ways.collect();
        let (_, first) = *ways.first()?;
        if ways.iter().all(|&(_, barrier)| barrier == first) {
            return first;
        }
        let meeting = self.solver.new_node();
        for (taken, barrier) in ways {
            if let Some(barrier) = barrier {
                self.order(&[taken], barrier, meeting);
            }
        }
        Some(meeting)
    }

    fn order_event(&mut self, forest: &Forest, e: EventId, past: &mut Past) {
        let node = self.global(e);
        if self.model != MemoryModel::Sc && !seeded(Fault::ReturnsAfterStore) {
            for (point, mut conditions) in self.points_of_return(forest, e) {
                if is_store(forest, point) {
                    // The function returns as soon as the store is in the buffer.
                    conditions.push(self.executed(e));
                    self.order(&conditions, node, self.global(point));
                }
            }
        }
        let after = |this: &mut Self, earlier: Option<Node>| {
            if let Some(earlier) = earlier.filter(|&n| n != node) {
                this.solver.add_edge(Lit::TRUE, earlier, node);
            }
        };
        match self.role(&forest.event(e).kind) {
            Role::Local => after(self, past.barrier),
            Role::Load => {
                after(self, past.barrier);
                if !seeded(Fault::LoadsUnordered) {
                    past.barrier = Some(node);
                }
            }
            Role::Store { release } => {
                after(self, past.barrier);
                after(self, past.store_barrier);
                if self.model == MemoryModel::Tso || release || seeded(Fault::StoresKeptInOrder) {
                    past.stores.iter().for_each(|&s| after(self, Some(s)));
                    past.stores.clear();
                }
                past.stores.push(node);
            }
            Role::StoreFence => {
                after(self, past.barrier);
                past.stores.drain(..).for_each(|s| after(self, Some(s)));
                after(self, past.store_barrier);
                if !seeded(Fault::StoreFenceIgnored) {
                    past.store_barrier = Some(node);
                }
            }
            Role::Full => {
                after(self, past.barrier);
                after(self, past.store_barrier);
                past.stores.drain(..).for_each(|s| after(self, Some(s)));
                past.barrier = Some(node);
            }
        }
    }

    fn role(&self, kind: &EventKind) -> Role {
        match (self.model, kind) {
            (_, EventKind::Use { .. } | EventKind::Assume { .. }) => Role::Local,
            (MemoryModel::Sc, _) => Role::Full,
            (_, EventKind::Write { .. }) if seeded(Fault::StoresNotBuffered) => Role::Full,
            (_, EventKind::Write { .. }) if seeded(Fault::ReleaseStoreIgnored) => Role::Store { release: false },
            (_, EventKind::Fence { .. } | EventKind::Drain) if seeded(Fault::FenceIgnored) => Role::Local,
            (_, EventKind::Fence { .. } | EventKind::Drain) if seeded(Fault::FenceForStoresOnly) => Role::StoreFence,
            (_, EventKind::Rmw { .. }) if seeded(Fault::RmwDrainsNothing) => Role::Load,
            (_, EventKind::Detach { .. }) => Role::Local,
            // Freeing takes place at once, but no store has to reach memory for it.
            (_, EventKind::Read { .. } | EventKind::Free { .. }) => Role::Load,
            (_, EventKind::Write { order, .. }) => {
                Role::Store { release: matches!(order, Some(Ordering::Release | Ordering::SeqCst)) }
            }
            (_, EventKind::Fence { order: Ordering::SeqCst } | EventKind::Drain) => Role::Full,
            (_, EventKind::Fence { order: Ordering::Release | Ordering::AcqRel }) => Role::StoreFence,
            (_, EventKind::Fence { .. }) => Role::Local,
            _ => Role::Full,
        }
    }

    /// The points with which the function that ends the life of a variable with `e` may return, each with the conditions
    /// under which it does.
    pub(super) fn points_of_return(&mut self, forest: &Forest, e: EventId) -> Vec<(EventId, Vec<Lit>)> {
        let EventKind::Free { returning: Some(how), .. } = &forest.event(e).kind else { return Vec::new() };
        let mut later = Vec::new();
        let mut found = Vec::new();
        for point in possible_points_of_return(forest, e) {
            let active = self.active(point);
            let mut conditions = vec![active];
            conditions.extend(later.iter().map(|&other: &Lit| !other));
            for &(step, guard) in how.unnoticed.iter().filter(|_| !seeded(Fault::ReturnsWithAbsent)) {
                if step > forest.event(point).step {
                    conditions.push(!self.term(forest, guard));
                }
            }
            found.push((point, conditions));
            later.push(active);
        }
        found
    }

    /// The order of a thread's own accesses to one location, where the global order does not keep it.
    fn encode_coherence(&mut self, forest: &mut Forest) {
        let mut accesses: FxHashMap<(TreeId, u64), Vec<EventId>> = FxHashMap::default();
        for e in forest.event_ids() {
            if let Some((address, _)) = forest.event(e).kind.access() {
                accesses.entry((forest.tree_of(e), address.object)).or_default().push(e);
                let origin = self.origin.coherence.expect("weak models have coherence");
                let here = self.moment(e).coherence.expect("accesses have coherence");
                self.solver.add_edge(Lit::TRUE, origin, here);
            }
        }
        let mut keys: Vec<_> = accesses.keys().copied().collect();
        keys.sort();
        for key in keys {
            let events = &accesses[&key];
            for (i, &a) in events.iter().enumerate() {
                for &b in &events[i + 1..] {
                    self.order_in_location(forest, a, b);
                }
            }
        }
    }

    fn order_in_location(&mut self, forest: &mut Forest, a: EventId, b: EventId) {
        let (first, second) = match (forest.program_order(a, b), forest.program_order(b, a)) {
            (true, _) => (a, b),
            (_, true) => (b, a),
            _ => return,
        };
        let overlap = self.overlap(forest, first, second);
        let (from, to) = (self.moment(first).coherence, self.moment(second).coherence);
        let conditions = [overlap, self.active(first), self.active(second)];
        if let (Some(from), Some(to), false) = (from, to, seeded(Fault::OwnAccessesIncoherent)) {
            self.order(&conditions, from, to);
        }
    }
}

/// If `e` ends the life of a local variable: what may be the point of the step in which the function returns, the last one first.
/// Those that are on a side of a branch may not take place.
fn possible_points_of_return(forest: &Forest, e: EventId) -> Vec<EventId> {
    let mut points = Vec::new();
    let EventKind::Free { returning: Some(how), .. } = &forest.event(e).kind else { return points };
    let mut at = previous(forest, e);
    while let Some(event) = at {
        at = previous(forest, event);
        let Event { kind, guard, step, .. } = forest.event(event);
        if matches!(kind, EventKind::Use { .. } | EventKind::Assume { .. } | EventKind::Free { returning: Some(_), .. })
        {
            continue;
        }
        if *step < how.since {
            // What took place for sure after it, nobody notices.
            break;
        }
        points.push(event);
        if forest.terms.as_const(*guard) == Some(1) || seeded(Fault::ReturnsWithAbsent) {
            break;
        }
    }
    points
}

pub(super) fn is_store(forest: &Forest, e: EventId) -> bool {
    matches!(forest.event(e).kind, EventKind::Write { .. })
}

/// The event before `e` on its path, if no other path has met it in between.
pub(super) fn previous(forest: &Forest, e: EventId) -> Option<EventId> {
    let at = forest.position(e);
    if at.index > 0 {
        return Some(forest.node(at.node).events[at.index - 1]);
    }
    last_event(forest, forest.parent(at.node)?)
}

/// The last event on the path up to the end of a node, if no other path has met it since.
pub(super) fn last_event(forest: &Forest, n: NodeId) -> Option<EventId> {
    let mut node = n;
    loop {
        match forest.node(node).events.last() {
            Some(&last) => return Some(last),
            None => node = forest.parent(node)?,
        }
    }
}
