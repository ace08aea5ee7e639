//! Blocks: an execution as threads taking turns, so that it can be asked for one with few of them.
//!
//! Time is cut into a fixed number of blocks by moments that follow each other (nodes of the order, like events). Every event
//! lies before or after each of them, and all events between two of them are of one thread, the owner of the block. Where
//! the owner changes, threads switch. That is a *preemption* unless the thread that was running could not go on: it has ended,
//! or what it does next has to wait (the mutex is held, the thread to be joined is running, no signal has come).
//!
//! What belongs to the step before (`eager`) is in the block of that step. A store that waits in a buffer is executed as
//! soon as it can be; when it reaches memory is no matter of blocks.

use super::Encoding;
use super::program_order::previous;
use crate::event::{EventId, EventKind};
use crate::forest::{Entry, Forest, NodeEnd, NodeId, Position};
use crate::names::ThreadName;
use crate::witness::MemoryModel;
use ordain_solve::order::{Lit, Node, OrderSolver};
use rustc_hash::{FxHashMap, FxHashSet};

/// A division of time into blocks: what can be demanded of it.
pub struct Blocks {
    /// "At least n + 1 preemptions", "at least n + 1 switches", by n.
    preemptions: Vec<Lit>,
    switches: Vec<Lit>,
    /// Who has the last block.
    last: FxHashMap<ThreadName, Lit>,
    trust: Lit,
    wary: Lit,
    division: Division,
    /// Where threads are taken to wait for memory to change: by position, with the number of the block that ends so.
    trusted: FxHashMap<Position, Vec<(usize, Lit)>>,
}

/// A thread was taken to wait for memory to change, and could have gone on, or has ended.
#[derive(Clone, Debug)]
pub struct Mistrust {
    /// It has ended, though nobody knows that it did.
    pub ended: bool,
    /// What it would have done next.
    pub position: Position,
    /// What it would have looked at: address and size.
    pub reads: Vec<(u64, u8)>,
    /// What had been executed, in this order.
    pub executed: Vec<EventId>,
}

impl Blocks {
    /// The assumption that there are at most so many preemptions.
    pub fn at_most_preemptions(&self, count: usize) -> Lit {
        self.preemptions.get(count).map_or(Lit::TRUE, |&more| !more)
    }

    /// The assumption that this thread is the last to have a turn: the one in which it fails.
    pub fn last_is(&self, thread: &ThreadName) -> Lit {
        self.last.get(thread).copied().unwrap_or(Lit::FALSE)
    }

    /// The assumption that threads never wait for memory to change. Without it, they may where they cannot have to.
    pub fn no_trust(&self) -> Lit {
        !self.trust
    }

    /// The assumption that threads do not wait for memory to change where they turned out not to (`Encoding::distrust`).
    pub fn wary(&self) -> Lit {
        self.wary
    }

    /// The assumption that there are at most so many switches.
    pub fn at_most_switches(&self, count: usize) -> Lit {
        self.switches.get(count).map_or(Lit::TRUE, |&more| !more)
    }
}

/// Where events lie, as literals: `later[e][k]` says that `e` comes after the moment with which block `k + 1` begins.
struct Division {
    later: Vec<Vec<Lit>>,
    /// The owner of each block.
    owners: Vec<FxHashMap<ThreadName, Lit>>,
}

/// Where threads may have to wait, besides before the events that say so.
#[derive(Clone, Default, Debug)]
pub struct Waits {
    /// Where rounds of loops begin that may be awaits. That they do wait is taken on trust, more or less.
    pub rounds: FxHashSet<Position>,
    /// By nodes that end where nobody wants to know more: what the thread would do next.
    pub ends: FxHashMap<NodeId, EventKind>,
    /// The nodes that end where nobody knows what the thread did next: maybe it came to a loop to wait in.
    pub open_ends: FxHashSet<NodeId>,
}

impl Waits {
    /// Whether who stands there may wait for memory to change.
    pub fn may_be(&self, forest: &Forest, position: Position) -> bool {
        let is_end = position.index == forest.node(position.node).events.len();
        self.rounds.contains(&position) || is_end && self.open_ends.contains(&position.node)
    }
}

/// The moment between two blocks.
struct Boundary<'d> {
    division: &'d Division,
    /// The number of the first of them.
    k: usize,
    /// The owner of the first was preempted.
    preempted: Lit,
    /// Awaits are taken to fail wherever they may.
    trust: Lit,
    trusted: &'d mut FxHashMap<Position, Vec<(usize, Lit)>>,
    waits: &'d Waits,
    /// By node: what comes before it on its path has happened.
    behind: FxHashMap<NodeId, Lit>,
}

impl Division {
    /// The event comes after the end of block `k`.
    fn later(&self, k: usize, e: EventId) -> Lit {
        self.later[e.0 as usize][k]
    }
}

impl Boundary<'_> {
    fn later(&self, e: EventId) -> Lit {
        self.division.later(self.k, e)
    }
}

impl<S: OrderSolver> Encoding<S> {
    /// Divides executions into at most `count` blocks: from now on there are no others.
    pub fn divide(&mut self, forest: &Forest, count: usize, waits: &Waits) -> Blocks {
        let moments: Vec<Node> = (1..count).map(|_| self.solver.new_node()).collect();
        for pair in moments.windows(2) {
            self.solver.add_edge(Lit::TRUE, pair[0], pair[1]);
        }
        let later = self.encoded_events().map(|e| self.place_in_time(forest, waits, e, &moments)).collect();
        let owners = (0..count).map(|_| self.owners(forest)).collect();
        let division = Division { later, owners };
        for e in self.encoded_events() {
            self.keep_in_order(forest, waits, &division, e);
            self.own(forest, waits, &division, e);
        }
        let (trust, mut trusted) = (self.solver.new_lit(), FxHashMap::default());
        let (mut preemptions, mut switches) = (Vec::new(), Vec::new());
        for k in 0..moments.len() {
            let mut boundary = Boundary {
                division: &division,
                k,
                preempted: self.solver.new_lit(),
                trust,
                trusted: &mut trusted,
                waits,
                behind: FxHashMap::default(),
            };
            let switched = self.solver.new_lit();
            for (thread, &owner) in &division.owners[k] {
                self.imply_any(&[owner], &[division.owners[k + 1][thread], switched]);
            }
            self.notice_preemption(forest, &mut boundary);
            preemptions.push(boundary.preempted);
            switches.push(switched);
        }
        let last = division.owners.last().cloned().unwrap_or_default();
        let (preemptions, switches) = (self.totals(&preemptions), self.totals(&switches));
        let wary = self.solver.new_lit();
        Blocks { preemptions, switches, last, trust, wary, division, trusted }
    }

    /// From now on there are no executions in which a thread does what comes last before `end`.
    pub fn stop_before(&mut self, forest: &Forest, end: Position) {
        self.leave_out_last(forest, end, Lit::TRUE);
    }

    fn leave_out_last(&mut self, forest: &Forest, end: Position, when: Lit) {
        let last = end.index.checked_sub(1).map(|i| forest.node(end.node).events[i]);
        last.into_iter().for_each(|last| self.imply(when, !self.executed(last)));
    }

    /// Whoever is wary does not take the thread to wait there from now on, unless what it would look at was written by others, or in another
    /// order. That is more than is known, if what it has read before makes a difference.
    pub fn distrust(&mut self, forest: &Forest, blocks: &Blocks, mistrust: &Mistrust) {
        if mistrust.ended {
            self.leave_out_last(forest, mistrust.position, blocks.wary);
        }
        let Some(trusted) = blocks.trusted.get(&mistrust.position) else { return };
        let is_looked_at = |e: &EventId| {
            let (address, size) = forest.event(*e).kind.access().expect("writes access memory");
            let known = forest.terms.as_const(address.term);
            mistrust.reads.iter().any(|&(read, bytes)| match known {
                Some(at) => at < read + u64::from(bytes) && read < at + u64::from(size),
                None => forest.object_at(read) == Some(address.object),
            })
        };
        let writes = self.encoded_events().filter(|&e| forest.event(e).kind.is_write());
        let (mut before, after): (Vec<EventId>, Vec<EventId>) =
            writes.filter(is_looked_at).partition(|e| mistrust.executed.contains(e));
        before.sort_by_key(|e| mistrust.executed.iter().position(|other| other == e));
        let mut otherwise = Vec::new();
        for (i, &first) in before.iter().enumerate() {
            for &second in before[i + 1..].iter().filter(|&&second| forest.thread(second) != forest.thread(first)) {
                let swapped = self.solver.new_lit();
                self.solver.add_edge(swapped, self.global(second), self.global(first));
                otherwise.push(swapped);
            }
            otherwise.push(!self.writing(first));
        }
        for &(k, waits) in trusted {
            let mut clause = otherwise.clone();
            clause.extend(before.iter().map(|&write| blocks.division.later(k, write)));
            for &write in &after {
                clause.push(self.and(self.writing(write), !blocks.division.later(k, write)));
            }
            self.imply_any(&[blocks.wary, waits], &clause);
        }
    }

    /// For each moment, a literal: the event comes after it.
    fn place_in_time(&mut self, forest: &Forest, waits: &Waits, e: EventId, moments: &[Node]) -> Vec<Lit> {
        let has_moment = !self.follows_at_once(forest, waits, e);
        let place = |this: &mut Self, moment: Node| {
            let later = this.solver.new_lit();
            if has_moment {
                this.solver.add_edge(later, moment, this.global(e));
                this.solver.add_edge(!later, this.global(e), moment);
            }
            later
        };
        let later: Vec<Lit> = moments.iter().map(|&moment| place(self, moment)).collect();
        for pair in later.windows(2) {
            self.imply(pair[1], pair[0]);
        }
        later
    }

    /// Whether the event is executed as soon as the one before it has been, whatever the others do.
    fn follows_at_once(&self, forest: &Forest, waits: &Waits, e: EventId) -> bool {
        match forest.event(e).kind {
            // What nobody notices comes in between.
            _ if waits.rounds.contains(&forest.position(e)) => false,
            EventKind::Exit { .. } => !self.has_turn_to_itself(forest, waits, e),
            EventKind::Use { .. }
            | EventKind::Assume { .. }
            | EventKind::Start { .. }
            | EventKind::Free { returning: Some(_), .. } => true,
            EventKind::Write { .. } => self.model != MemoryModel::Sc,
            _ => false,
        }
    }

    /// Whether a thread that ends here has done nothing before that others notice, but has done something.
    fn has_turn_to_itself(&self, forest: &Forest, waits: &Waits, exit: EventId) -> bool {
        let (mut first, mut before) = (exit, previous(forest, exit));
        while let Some(e) = before {
            if !self.follows_at_once(forest, waits, e) {
                return false;
            }
            (first, before) = (e, previous(forest, e));
        }
        // Beyond a meeting nobody has looked.
        matches!(forest.event(first).kind, EventKind::Start { .. }) && forest.event(exit).step > 0
    }

    fn owners(&mut self, forest: &Forest) -> FxHashMap<ThreadName, Lit> {
        let mut owners: FxHashMap<ThreadName, Lit> = FxHashMap::default();
        for tree in &forest.trees {
            owners.entry(tree.key.thread.clone()).or_insert_with(|| self.solver.new_lit());
        }
        let lits: Vec<Lit> = owners.values().copied().collect();
        self.solver.add_clause(&lits);
        self.at_most_one(&lits);
        owners
    }

    /// Events lie in time as they do on their path.
    fn keep_in_order(&mut self, forest: &Forest, waits: &Waits, division: &Division, e: EventId) {
        let executed = self.executed(e);
        if matches!(forest.event(e).kind, EventKind::Start { .. }) {
            let creates = self.sections.creates(forest.tree_of(e)).to_vec();
            for create in creates {
                for (&later, &before) in division.later[e.0 as usize].iter().zip(&division.later[create.0 as usize]) {
                    self.imply_any(&[executed, self.executed(create), later], &[before]);
                    self.imply_any(&[executed, self.executed(create), before], &[later]);
                }
            }
            return;
        }
        let Some(previous) = previous(forest, e) else { return };
        let at_once = self.follows_at_once(forest, waits, e);
        for (&later, &before) in division.later[e.0 as usize].iter().zip(&division.later[previous.0 as usize]) {
            self.imply_any(&[executed, before], &[later]);
            if at_once {
                self.imply_any(&[executed, later], &[before]);
            }
        }
    }

    /// A block with the event in it belongs to the event's thread.
    fn own(&mut self, forest: &Forest, waits: &Waits, division: &Division, e: EventId) {
        if self.follows_at_once(forest, waits, e) {
            return;
        }
        let later = &division.later[e.0 as usize];
        for (k, owners) in division.owners.iter().enumerate() {
            let begun = if k == 0 { Lit::TRUE } else { later[k - 1] };
            let over = later.get(k).copied().unwrap_or(Lit::FALSE);
            self.imply_any(&[self.active(e), begun], &[over, owners[forest.thread(e)]]);
        }
    }

    /// The owner of a block does not own the next one, although it could have gone on: then it was preempted.
    fn notice_preemption(&mut self, forest: &Forest, at: &mut Boundary<'_>) {
        let mut leaving: FxHashMap<&ThreadName, Lit> = FxHashMap::default();
        for (thread, &owner) in &at.division.owners[at.k] {
            let next = at.division.owners[at.k + 1][thread];
            leaving.insert(thread, self.and(owner, !next));
        }
        for e in self.encoded_events() {
            let stands_before =
                [leaving[forest.thread(e)], self.before(forest, e), self.is_behind(forest, at, forest.position(e))];
            let mut excuses = vec![at.preempted];
            excuses.extend(self.has_to_wait(forest, at, e));
            self.imply_any(&[&stands_before[..], &[at.later(e)]].concat(), &excuses);
            self.imply_any(&[&stands_before[..], &[!self.executed(e)]].concat(), &excuses);
        }
        for n in (0..self.finished.len() as u32).map(NodeId) {
            let leaving = leaving[forest.thread_of_node(n)];
            self.stop_at_end(forest, at, n, leaving);
        }
    }

    /// Whoever stands at the end of a segment can go on, unless the thread has ended or is in an await.
    fn stop_at_end(&mut self, forest: &Forest, at: &mut Boundary<'_>, n: NodeId, leaving: Lit) {
        let onward: Vec<NodeId> = match &forest.node(n).end {
            NodeEnd::Exit | NodeEnd::Again(_) => return,
            NodeEnd::Decision(decision) => decision.children.iter().map(|&(_, child)| child).collect(),
            NodeEnd::Onward(meeting) => vec![*meeting],
            NodeEnd::ProcessEnd | NodeEnd::Failure(_) | NodeEnd::Cut(_) => Vec::new(),
        };
        let end = Position { node: n, index: forest.node(n).events.len() };
        let stands_there = [leaving, self.finished(n), self.is_behind(forest, at, end)];
        let mut excuses = vec![at.preempted];
        if at.waits.may_be(forest, end) {
            excuses.push(self.waits_on_trust(at, end));
        }
        if let Some(next) = at.waits.ends.get(&n) {
            excuses.extend(self.waits_for_others(at, next, None));
        }
        let known = onward.into_iter().filter(|child| (child.0 as usize) < self.entered.len());
        excuses.extend(known.map(|child| self.entered(child)));
        self.imply_any(&stands_there, &excuses);
    }

    /// The literal that says: what comes before this position on its path has happened when the block ends.
    fn is_behind(&mut self, forest: &Forest, at: &mut Boundary<'_>, position: Position) -> Lit {
        let Position { node, index } = position;
        if let Some(&before) = index.checked_sub(1).and_then(|i| forest.node(node).events.get(i)) {
            return !at.later(before);
        }
        if let Some(&known) = at.behind.get(&node) {
            return known;
        }
        let end_of = |n: NodeId| Position { node: n, index: forest.node(n).events.len() };
        let behind = match &forest.node(node).entry {
            Entry::Root => Lit::TRUE,
            Entry::Outcome(parent, _) => self.is_behind(forest, at, end_of(*parent)),
            Entry::Meeting(meeting) => {
                let behind = self.solver.new_lit();
                for way in &meeting.ways {
                    let came = self.finished(way.from);
                    let there = self.is_behind(forest, at, end_of(way.from));
                    self.imply_any(&[came, there], &[behind]);
                    self.imply_any(&[came, behind], &[there]);
                }
                behind
            }
        };
        at.behind.insert(node, behind);
        behind
    }

    /// The literals under which the thread that is to do `e` next cannot when the block ends. Each demands that it is so.
    fn has_to_wait(&mut self, forest: &Forest, at: &mut Boundary<'_>, e: EventId) -> Vec<Lit> {
        let mut ways = self.waits_for_others(at, &forest.event(e).kind, Some(e));
        if at.waits.rounds.contains(&forest.position(e)) {
            ways.push(self.waits_for_memory(forest, at, e));
        }
        ways
    }

    /// The same for what is done next (by the event `own`, if it is one) and has to wait for mutexes, threads or signals.
    fn waits_for_others(&mut self, at: &Boundary<'_>, next: &EventKind, own: Option<EventId>) -> Vec<Lit> {
        match next {
            EventKind::Lock { mutex, waits: true } => {
                let locks = self.sections.locks.get(mutex).cloned().unwrap_or_default();
                let mut held = Vec::new();
                for lock in locks.into_iter().filter(|&lock| Some(lock) != own) {
                    let holds = self.solver.new_lit();
                    self.imply(holds, self.executed(lock));
                    self.imply(holds, !at.later(lock));
                    for unlock in self.sections.unlocks(lock).to_vec() {
                        self.imply_any(&[holds, self.executed(unlock)], &[at.later(unlock)]);
                    }
                    held.push(holds);
                }
                held
            }
            EventKind::Join { thread, .. } => {
                let waits = self.solver.new_lit();
                for exit in self.sections.exits.get(thread).cloned().unwrap_or_default() {
                    self.imply_any(&[waits, self.executed(exit)], &[at.later(exit)]);
                }
                vec![waits]
            }
            EventKind::Wake { enqueue } => {
                let waits = self.solver.new_lit();
                for (signal, lit) in self.wakers(*enqueue) {
                    self.imply_any(&[waits, lit], &[at.later(signal)]);
                }
                vec![waits]
            }
            _ => Vec::new(),
        }
    }

    /// A literal that says: who stands there waits for memory to change.
    fn waits_on_trust(&mut self, at: &mut Boundary<'_>, position: Position) -> Lit {
        let waits = self.solver.new_lit();
        self.imply(waits, at.trust);
        at.trusted.entry(position).or_default().push((at.k, waits));
        waits
    }

    /// A round of an await begins with `e`, and an earlier one would have been for nothing. Of that only so much is demanded:
    /// something that the round reads is written later. What is read up to the next round is taken to be part of it.
    fn waits_for_memory(&mut self, forest: &Forest, at: &mut Boundary<'_>, e: EventId) -> Lit {
        let waits = self.waits_on_trust(at, forest.position(e));
        let Position { node, index } = forest.position(e);
        let is_next = |i: &usize| at.waits.rounds.contains(&Position { node, index: *i });
        let events = &forest.node(node).events;
        let Some(over) = (index + 1..events.len()).find(is_next).or_else(|| ends_for_good(forest, node, events.len()))
        else {
            return waits;
        };
        // Whether time is up, or a signal has come, nobody has written.
        if events[index..over].iter().any(|&e| decides_by_itself(&forest.event(e).kind)) {
            return waits;
        }
        let mut written_later = vec![!self.executed(e)];
        for &read in events[index..over].iter().filter(|&&read| forest.event(read).kind.is_read()) {
            let cells = self.memory.cells.get(&read).into_iter().flatten();
            let sources = cells.flat_map(|cell| &cell.sources).filter_map(|source| Some((source.lit, source.write?)));
            for (lit, write) in sources.collect::<Vec<_>>() {
                written_later.push(self.and(lit, at.later(write)));
            }
            // Or it never takes place.
            written_later.push(!self.executed(read));
        }
        self.imply_any(&[waits], &written_later);
        waits
    }

    /// "At least n + 1 of them", by n. The literals may be true without, if nobody says otherwise.
    fn totals(&mut self, lits: &[Lit]) -> Vec<Lit> {
        let mut so_far: Vec<Lit> = Vec::new();
        for &lit in lits {
            let next: Vec<Lit> = (0..=so_far.len()).map(|_| self.solver.new_lit()).collect();
            for (n, &at_least) in next.iter().enumerate() {
                if let Some(&already) = so_far.get(n) {
                    self.imply(already, at_least);
                }
                match n.checked_sub(1).map(|fewer| so_far[fewer]) {
                    Some(fewer) => self.imply_any(&[lit, fewer], &[at_least]),
                    None => self.imply(lit, at_least),
                }
            }
            so_far = next;
        }
        so_far
    }
}

/// Whether what comes of an event depends on something else than what memory holds.
fn decides_by_itself(kind: &EventKind) -> bool {
    matches!(
        kind,
        EventKind::Look { .. }
            | EventKind::Wake { .. }
            | EventKind::Choose { .. }
            | EventKind::Busy { .. }
            | EventKind::Waiters { .. }
            | EventKind::Lock { .. }
    )
}

/// The end of a segment, if the thread does not go on after it.
fn ends_for_good(forest: &Forest, n: NodeId, end: usize) -> Option<usize> {
    (!matches!(forest.node(n).end, NodeEnd::Decision(_) | NodeEnd::Onward(_))).then_some(end)
}
