//! Regions that another thread comes between: two accesses of one thread, and one of another in between that conflicts with both.
//!
//! Wang, Limaye, Ganai and Gupta (*Trace-Based Symbolic Analysis for Atomicity Violations*, TACAS 2010) call that a violation if the
//! three are not independent of their neighbours. Here it is one if it makes a difference: if no execution of the same events, with the
//! same values read and the same memory in the end, has all regions in one piece. Both are questions to the solver: first for an
//! execution (`splits`), of which only what happens up to the second access counts; then, with everything fixed that can be seen of that
//! (`seen`), for one in which nobody comes between (`in_one_piece`). If there is one, executions of that kind are excluded (`exclude`) among
//! those that end with the second access (`is_last`), and the first is asked again of these.

use super::Encoding;
use super::eager::is_local;
use crate::event::{EventId, EventKind};
use crate::faults::{Fault, seeded};
use crate::forest::{Forest, NodeEnd, NodeId, Position};
use ordain_expr::{SymbolId, Term};
use ordain_solve::order::{Answer, Lit, OrderSolver};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// Literals about regions that are used again and again.
#[derive(Default)]
pub struct Splitting {
    /// By event: nothing happens after it.
    lasts: FxHashMap<EventId, Lit>,
    /// By first and last event of a region: nobody comes between.
    whole: FxHashMap<(EventId, EventId), Lit>,
}

/// What another thread does between two accesses of a region.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Between {
    /// Conflicts with the first of them, and comes after it.
    pub after_first: EventId,
    /// Conflicts with the second, and comes before it.
    pub before_second: EventId,
}

impl Between {
    pub fn one(access: EventId) -> Between {
        Between { after_first: access, before_second: access }
    }
}

/// What can be seen of an execution: which events took place, what they read, and what memory holds in the end.
pub struct Seen {
    /// In their order.
    order: Vec<EventId>,
    /// Events that a thread stood before, and did not execute; and the first ones of all that was not entered.
    not_taken: Vec<EventId>,
    /// Which writes were read from.
    sources: Vec<Lit>,
    /// What was read, and what the scheduler decided.
    values: Vec<(Term, u64)>,
    /// By address: who wrote the byte there, in the order in which they did, and what.
    bytes: BTreeMap<u64, Vec<(EventId, u8)>>,
}

impl<S: OrderSolver> Encoding<S> {
    /// The goal "another thread comes between the accesses `first` and `second` of one thread, in a way that may matter": after the first
    /// it makes an access that conflicts with it, before the second one that conflicts with that. Mostly it is one access that does both.
    /// `None` if it cannot.
    pub fn splits(
        &mut self,
        forest: &mut Forest,
        first: EventId,
        Between { after_first, before_second }: Between,
        second: EventId,
    ) -> Option<Lit> {
        let overlaps = [self.overlap(forest, first, after_first), self.overlap(forest, before_second, second)];
        let impossible = |a, b| self.certain.precedes(forest, a, b);
        if overlaps.contains(&Lit::FALSE) || impossible(after_first, first) || impossible(second, before_second) {
            return None;
        }
        let goal = self.solver.new_lit();
        let active = [first, after_first, before_second, second].map(|e| self.active(e));
        for lit in active.into_iter().chain(overlaps) {
            self.imply(goal, lit);
        }
        // Whoever only looks is in nobody's way, unless what it sees is changed twice.
        self.imply_any(&[goal], &[self.writing(after_first), self.writing(first)]);
        self.imply_any(&[goal], &[self.writing(before_second), self.writing(second)]);
        self.order(&[goal], self.global(first), self.global(after_first));
        self.order(&[goal], self.global(before_second), self.global(second));
        // What comes after the second access does not count.
        if after_first != before_second {
            self.order(&[goal], self.global(after_first), self.global(second));
        }
        Some(goal)
    }

    /// Nothing happens after the event, apart from its thread letting go of mutexes.
    pub fn is_last(&mut self, forest: &Forest, e: EventId) -> Lit {
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

    /// What can be seen of the execution that was found last, up to the event `last`. That its thread lets go of mutexes after that, nobody
    /// sees.
    pub fn seen(&self, forest: &Forest, last: EventId) -> Seen {
        let mut executed = self.executed_up_to(forest, last);
        let letting_go = letting_go(forest, last);
        executed.retain(|e| !letting_go.contains(e));
        let mut order = self.solution(forest).order;
        order.retain(|e| executed.contains(e));
        let mut memory = Replay { forest, values: FxHashMap::default(), bytes: BTreeMap::new() };
        let mut values = Vec::new();
        for &e in &order {
            let kind = &forest.event(e).kind;
            let chosen = match *kind {
                EventKind::Choose { value } | EventKind::Look { woken: value, .. } => Some(value),
                EventKind::Waiters { any, .. } => Some(any),
                EventKind::Join { value, .. } => Some(value),
                _ => None,
            };
            values.extend(chosen.and_then(|term| Some((term, self.blaster.value(&self.solver, term)?))));
            let of_symbol = |symbol| self.blaster.symbol_value(&forest.terms, &self.solver, symbol);
            values.extend(memory.execute(e, &of_symbol));
        }
        let reads = order.iter().filter(|&&e| forest.event(e).kind.is_read());
        let sources = reads.flat_map(|e| &self.memory.cells[e]).flat_map(|cell| &cell.sources);
        let sources = sources.map(|source| source.lit).filter(|&lit| self.solver.value(lit)).collect();
        let stands_before = |e: &EventId| {
            let Position { node, index } = forest.position(*e);
            !executed.contains(e) && (index == 0 || executed.contains(&forest.node(node).events[index - 1]))
        };
        let not_taken = self.encoded_events().filter(|e| stands_before(e) && !letting_go.contains(e)).collect();
        Seen { order, not_taken, sources, values, bytes: memory.bytes }
    }

    /// Whether there is an execution that looks the same, in which nobody comes between the events of any region. `None`: there is no
    /// execution that looks so at all, though one was found.
    pub fn in_one_piece(&mut self, forest: &mut Forest, seen: &Seen, regions: &[Vec<EventId>]) -> Option<Answer> {
        let mut whole = Vec::new();
        let taken: FxHashSet<EventId> = seen.order.iter().copied().collect();
        let last = seen.order.last().copied();
        let is_own = |region: &&Vec<EventId>| last.is_some_and(|last| region.contains(&last));
        for region in regions.iter().filter(|region| !seeded(Fault::OthersSplit) || is_own(region)) {
            let mut events = region.iter().copied().filter(|e| taken.contains(e));
            if let (Some(first), Some(last)) = (events.next(), events.next_back()) {
                whole.push(self.is_whole(forest, first, last));
            }
        }
        let mut assumptions = whole.clone();
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
        let answer = self.solver.solve(&assumptions);
        let contradicts_itself = answer == Answer::Unsat && !self.solver.core().iter().any(|lit| whole.contains(lit));
        (!contradicts_itself).then_some(answer)
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
        if seeded(Fault::OneBenignForAll) {
            return self.solver.add_clause(&clause);
        }
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

    /// The events of the execution that was found last, up to one of them, with what threads do without further ado (`eager`).
    fn executed_up_to(&self, forest: &Forest, last: EventId) -> FxHashSet<EventId> {
        let (end, thread) = (self.solver.position(self.global(last)), forest.thread(last));
        let in_time = |e: EventId| {
            let position = self.solver.position(self.global(e));
            position < end || self.global(e) == self.global(last) || (position == end && forest.thread(e) != thread)
        };
        let all: Vec<EventId> = self.encoded_events().filter(|&e| self.solver.value(self.executed(e))).collect();
        let mut executed: FxHashSet<EventId> = all.iter().copied().filter(|&e| in_time(e)).collect();
        loop {
            let before = executed.len();
            for &e in &all {
                let at_once = match forest.event(e).kind {
                    EventKind::Start { .. } => self.sections.creates(forest.tree_of(e)).to_vec(),
                    ref kind if is_local(kind) || !self.solver.value(self.active(e)) => just_before(forest, e),
                    _ => Vec::new(),
                };
                if at_once.iter().any(|before| executed.contains(before)) {
                    executed.insert(e);
                }
            }
            if executed.len() == before {
                return executed;
            }
        }
    }
}

/// The events that may be the last before `e` in its thread: several if paths meet there.
fn just_before(forest: &Forest, e: EventId) -> Vec<EventId> {
    let Position { node, index } = forest.position(e);
    match index {
        0 => forest.last_before(node),
        _ => vec![forest.node(node).events[index - 1]],
    }
}

/// Memory as it comes to be in an execution: values that nobody looks at are not known to the solver.
struct Replay<'f> {
    forest: &'f Forest,
    values: FxHashMap<SymbolId, u64>,
    /// By address: who wrote the byte there, in the order in which they did, and what.
    bytes: BTreeMap<u64, Vec<(EventId, u8)>>,
}

impl Replay<'_> {
    /// Executes an event; returns what was read, if anything was.
    fn execute(&mut self, e: EventId, of_symbol: &dyn Fn(SymbolId) -> u64) -> Option<(Term, u64)> {
        let kind = &self.forest.event(e).kind;
        let (address, size) = kind.access()?;
        let start = self.eval(address.term, of_symbol)?;
        let read = kind.seen().map(|term| {
            let value = (0..size).rev().fold(0, |value, i| value << 8 | u64::from(self.byte(address.object, start, i)));
            (term, value)
        });
        if let Some((term, value)) = read
            && let Some(symbol) = self.forest.terms.symbol_id(term)
        {
            self.values.insert(symbol, value);
        }
        let writes = match *kind {
            EventKind::Rmw { writes, .. } => self.eval(writes, of_symbol) == Some(1),
            _ => kind.is_write(),
        };
        let written = kind.written().filter(|_| writes).and_then(|term| self.eval(term, of_symbol));
        for (at, byte) in (start..).zip(written.into_iter().flat_map(u64::to_le_bytes)).take(size.into()) {
            self.bytes.entry(at).or_default().push((e, byte));
        }
        read
    }

    fn eval(&self, term: Term, of_symbol: &dyn Fn(SymbolId) -> u64) -> Option<u64> {
        let value = |symbol| Some(self.values.get(&symbol).copied().unwrap_or_else(|| of_symbol(symbol)));
        self.forest.terms.eval_known(term, &mut { value })
    }

    fn byte(&self, object: u64, start: u64, i: u8) -> u8 {
        let at = start + u64::from(i);
        match self.bytes.get(&at).and_then(|writers| writers.last()) {
            Some(&(_, byte)) => byte,
            None => {
                let object = self.forest.objects.get(&object).map(|known| (object, known));
                object.and_then(|(base, object)| object.contents.byte((at - base) as usize)).unwrap_or(0)
            }
        }
    }
}

/// The events after `e` by which its thread lets go of mutexes, if it does nothing else before, and what it does then without further ado.
fn letting_go(forest: &Forest, e: EventId) -> FxHashSet<EventId> {
    let Position { node, index } = forest.position(e);
    let (mut found, mut open) = (FxHashSet::default(), vec![(node, index + 1, false)]);
    while let Some((node, from, mut lets_go)) = open.pop() {
        let mut goes_on = true;
        for &next in &forest.node(node).events[from..] {
            let kind = &forest.event(next).kind;
            lets_go |= matches!(kind, EventKind::Unlock { .. });
            // What belongs to the step of `e` itself is over with it.
            let is_of_it = forest.event(next).step == forest.event(e).step;
            goes_on = matches!(kind, EventKind::Unlock { .. }) || is_local(kind) || is_of_it;
            if !goes_on {
                break;
            }
            if lets_go {
                found.insert(next);
            }
        }
        if goes_on {
            open.extend(next_nodes(forest, node).into_iter().map(|node| (node, 0, lets_go)));
        }
    }
    found
}

/// The nodes that a thread comes to after this one.
fn next_nodes(forest: &Forest, node: NodeId) -> Vec<NodeId> {
    match &forest.node(node).end {
        NodeEnd::Decision(d) => d.children.iter().map(|&(_, child)| child).collect(),
        NodeEnd::Onward(to) => vec![*to],
        _ => Vec::new(),
    }
}

/// The first events after `e` on its thread's paths that are points of their own.
fn next_points(forest: &Forest, e: EventId) -> Vec<EventId> {
    let Position { node, index } = forest.position(e);
    let step = forest.event(e).step;
    let letting_go = letting_go(forest, e);
    let is_next = |&next: &EventId| {
        let event = forest.event(next);
        event.step != step && !is_local(&event.kind) && !letting_go.contains(&next)
    };
    let (mut found, mut open) = (Vec::new(), vec![(node, index + 1)]);
    while let Some((node, from)) = open.pop() {
        match forest.node(node).events[from..].iter().copied().find(|next| is_next(next)) {
            Some(next) => found.push(next),
            None => open.extend(next_nodes(forest, node).into_iter().map(|node| (node, 0))),
        }
    }
    found
}
