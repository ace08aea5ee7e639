//! Regions that another thread comes between: two accesses of one thread, and one of another in between that conflicts with both.
//!
//! Wang, Limaye, Ganai and Gupta (*Trace-Based Symbolic Analysis for Atomicity Violations*, TACAS 2010) call that a violation if the
//! three are not independent of their neighbours. Here it is one if it makes a difference: if no execution of the same events, with the
//! same values read and the same memory in the end, has the region in one piece. Both are questions to the solver: first for an
//! execution that ends with the second access (`splits`), then, with everything fixed that can be seen of it, for one in which nobody comes
//! between (`in_one_piece`). If there is one, executions of that kind are excluded (`exclude`), and the first is asked again.

use super::Encoding;
use crate::event::{EventId, EventKind};
use crate::faults::{Fault, seeded};
use crate::forest::{Forest, NodeEnd, Position};
use ordain_expr::Term;
use ordain_solve::order::{Answer, Lit, OrderSolver};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Literals about regions that are used again and again.
#[derive(Default)]
pub struct Splitting {
    /// By event: nothing happens after it.
    lasts: FxHashMap<EventId, Lit>,
    /// By first and last event of a region: nobody comes between.
    whole: FxHashMap<(EventId, EventId), Lit>,
}

/// What can be seen of an execution: which events took place, what they read, and what memory holds in the end.
pub struct Seen {
    /// In their order.
    order: Vec<EventId>,
    /// Events that a thread stood before, and did not execute.
    not_taken: Vec<EventId>,
    /// Which writes were read from.
    sources: Vec<Lit>,
    /// What was read, and what the scheduler decided.
    values: Vec<(Term, u64)>,
    /// By address: who wrote the byte there, in the order in which they did, and what.
    bytes: BTreeMap<u64, Vec<(EventId, u8)>>,
}

impl<S: OrderSolver> Encoding<S> {
    /// The goal "`remote` comes between the accesses `first` and `second` of one thread, in a way that may matter, and nothing
    /// happens after the second". `None` if it cannot.
    pub fn splits(&mut self, forest: &mut Forest, first: EventId, remote: EventId, second: EventId) -> Option<Lit> {
        let overlaps = [self.overlap(forest, first, remote), self.overlap(forest, remote, second)];
        let impossible = |a, b| self.certain.precedes(forest, a, b);
        if overlaps.contains(&Lit::FALSE) || impossible(remote, first) || impossible(second, remote) {
            return None;
        }
        let last = self.is_last(forest, second);
        let goal = self.solver.new_lit();
        for lit in [self.active(first), self.active(remote), self.active(second), last].into_iter().chain(overlaps) {
            self.imply(goal, lit);
        }
        // Whoever only looks is in nobody's way, unless what it sees is changed twice.
        if !seeded(Fault::ReadersSplit) {
            self.imply_any(&[goal], &[self.writing(remote), self.writing(first)]);
            self.imply_any(&[goal], &[self.writing(remote), self.writing(second)]);
        }
        self.order(&[goal], self.global(first), self.global(remote));
        self.order(&[goal], self.global(remote), self.global(second));
        Some(goal)
    }

    /// Whether a mutex keeps `remote` from coming between two accesses of one thread.
    pub fn keeps_out(&self, forest: &Forest, first: EventId, remote: EventId, second: EventId) -> bool {
        self.certain.keeps_out(forest, first, remote, second)
    }

    /// Nothing happens after the event.
    fn is_last(&mut self, forest: &Forest, e: EventId) -> Lit {
        if let Some(&known) = self.splitting.lasts.get(&e) {
            return known;
        }
        let last = self.solver.new_lit();
        self.splitting.lasts.insert(e, last);
        for next in next_points(forest, e) {
            self.imply(last, !self.executed(next));
        }
        for other in forest.event_ids().filter(|&other| forest.thread(other) != forest.thread(e)) {
            if !self.certain.precedes(forest, other, e) {
                self.order(&[last, self.executed(other)], self.global(other), self.global(e));
            }
        }
        last
    }

    /// What can be seen of the execution that was found last.
    pub fn seen(&self, forest: &Forest) -> Seen {
        let order = self.solution(forest).order;
        let value = |term| self.blaster.value(&self.solver, term);
        let (mut values, mut bytes) = (Vec::new(), BTreeMap::<u64, Vec<(EventId, u8)>>::new());
        for &e in &order {
            let kind = &forest.event(e).kind;
            let read = match *kind {
                EventKind::Choose { value } | EventKind::Look { woken: value, .. } => Some(value),
                EventKind::Waiters { any, .. } => Some(any),
                EventKind::Join { value, .. } => Some(value),
                _ => kind.seen(),
            };
            values.extend(read.and_then(|term| Some((term, value(term)?))));
            let Some(((address, size), written)) = kind.access().zip(kind.written()) else { continue };
            if !self.solver.value(self.writing(e)) {
                continue;
            }
            let start = forest.terms.as_const(address.term).or_else(|| value(address.term));
            let written = forest.terms.as_const(written).or_else(|| value(written));
            if let (Some(start), Some(written)) = (start, written) {
                for (at, byte) in (start..).zip(written.to_le_bytes()).take(size.into()) {
                    bytes.entry(at).or_default().push((e, byte));
                }
            }
        }
        let reads = order.iter().filter(|&&e| forest.event(e).kind.is_read());
        let sources = reads.flat_map(|e| &self.memory.cells[e]).flat_map(|cell| &cell.sources);
        let sources = sources.map(|source| source.lit).filter(|&lit| self.solver.value(lit)).collect();
        Seen { order, not_taken: self.not_taken(forest), sources, values, bytes }
    }

    /// Whether there is an execution that looks the same, in which nobody comes between the first and the last event of a region.
    pub fn in_one_piece(&mut self, forest: &mut Forest, seen: &Seen, first: EventId, last: EventId) -> Answer {
        let whole = self.is_whole(forest, first, last);
        let mut assumptions = vec![whole];
        assumptions.extend(seen.order.iter().map(|&e| self.active(e)));
        assumptions.extend(seen.not_taken.iter().map(|&e| !self.executed(e)));
        if !seeded(Fault::ValuesForgotten) {
            for &(term, value) in &seen.values {
                let value = forest.terms.constant(forest.terms.width(term), value);
                assumptions.push(self.equal(forest, term, value));
            }
        }
        if !seeded(Fault::MemoryForgotten) {
            assumptions.push(self.ends_with(forest, seen));
        }
        self.solver.solve(&assumptions)
    }

    /// Nobody comes between two events of a thread.
    fn is_whole(&mut self, forest: &Forest, first: EventId, last: EventId) -> Lit {
        if let Some(&known) = self.splitting.whole.get(&(first, last)) {
            return known;
        }
        let whole = self.solver.new_lit();
        self.splitting.whole.insert((first, last), whole);
        for other in forest.event_ids().filter(|&other| forest.thread(other) != forest.thread(first)) {
            let (before, after) = (self.solver.new_lit(), self.solver.new_lit());
            self.solver.add_edge(before, self.global(other), self.global(first));
            self.solver.add_edge(after, self.global(last), self.global(other));
            self.imply_any(&[whole, self.executed(other)], &[before, after]);
        }
        whole
    }

    /// The literal that demands that memory ends as it was seen to: what was written there last has the same value.
    fn ends_with(&mut self, forest: &Forest, seen: &Seen) -> Lit {
        let ends = self.solver.new_lit();
        let mut stated = BTreeSet::new();
        for writers in seen.bytes.values() {
            let Some(&(_, value)) = writers.last() else { continue };
            let (good, bad): (Vec<_>, Vec<_>) = writers.iter().partition(|&&(_, byte)| byte == value);
            for (w, _) in bad {
                let later: Vec<EventId> = good.iter().map(|&(g, _)| g).filter(|&g| g != w).collect();
                if !stated.insert((w, later.clone())) {
                    continue;
                }
                let later: Vec<Lit> = later.into_iter().map(|g| self.written_before(forest, w, g)).collect();
                self.imply_any(&[ends], &later);
            }
        }
        ends
    }

    /// The literal that says that one write comes before another to the same memory.
    fn written_before(&self, forest: &Forest, first: EventId, second: EventId) -> Lit {
        match self.memory.write_order.get(&(first, second)) {
            Some(&lit) => lit,
            None if forest.program_order(first, second) => Lit::TRUE,
            None => Lit::FALSE,
        }
    }

    /// Excludes executions that cannot be told from this one: the same events take place, read from the same writes, and the
    /// same writes are the last. Only as long as nothing happens after the event `last`.
    pub fn exclude(&mut self, forest: &Forest, seen: &Seen, last: EventId) {
        let mut clause = vec![!self.is_last(forest, last)];
        clause.extend(seen.sources.iter().map(|&source| !source));
        for &(term, value) in &seen.values {
            if forest.terms.width(term) == 1 {
                let lit = self.blaster.lit(&forest.terms, &mut self.solver, term);
                clause.push(if value == 1 { !lit } else { lit });
            }
        }
        for writers in seen.bytes.values() {
            let Some((&(last, _), others)) = writers.split_last() else { continue };
            clause.extend(others.iter().map(|&(w, _)| !self.written_before(forest, w, last)));
        }
        clause.extend(seen.not_taken.iter().map(|&e| self.executed(e)));
        clause.retain(|&lit| lit != Lit::FALSE);
        clause.sort_unstable();
        clause.dedup();
        self.solver.add_clause(&clause);
    }

    /// Events that a thread stood before in the execution that was found last, and did not execute; and the first ones of all that
    /// was not entered.
    fn not_taken(&self, forest: &Forest) -> Vec<EventId> {
        let took = |e: EventId| self.solver.value(self.executed(e));
        let stands_before = |&e: &EventId| {
            let Position { node, index } = forest.position(e);
            !took(e) && (index == 0 || took(forest.node(node).events[index - 1]))
        };
        self.encoded_events().filter(stands_before).collect()
    }
}

/// The first events after `e` on its thread's paths that are points of their own.
fn next_points(forest: &Forest, e: EventId) -> Vec<EventId> {
    let Position { node, index } = forest.position(e);
    let step = forest.event(e).step;
    let is_next = |&next: &EventId| {
        let event = forest.event(next);
        event.step != step && !matches!(event.kind, EventKind::Use { .. } | EventKind::Assume { .. })
    };
    let (mut found, mut open) = (Vec::new(), vec![(node, index + 1)]);
    while let Some((node, from)) = open.pop() {
        match forest.node(node).events[from..].iter().copied().find(|next| is_next(next)) {
            Some(next) => found.push(next),
            None => match &forest.node(node).end {
                NodeEnd::Decision(d) => open.extend(d.children.iter().map(|&(_, child)| (child, 0))),
                NodeEnd::Onward(to) => open.push((*to, 0)),
                _ => {}
            },
        }
    }
    found
}
