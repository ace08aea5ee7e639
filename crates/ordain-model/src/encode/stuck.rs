//! Deadlocks and hangs: a set of threads, each waiting for something that only the set can bring about.
//!
//! For every place where a thread can wait there is a literal "a thread of the set waits here". It demands that the thread
//! stands there, and that whoever could release it is in the set as well: the holder of the mutex, the thread to be
//! joined; for an await, every thread that has not ended, and that the reads of its failing iteration saw the last
//! writes. Who waits inside an atomic section keeps everybody else from going on.

use super::Encoding;
use super::program_order::{last_event, previous};
use crate::event::{EventId, EventKind};
use crate::faults::{Fault, seeded};
use crate::forest::{Forest, NodeEnd, NodeId, Position, TreeId};
use crate::names::ThreadName;
use ordain_solve::order::{Lit, OrderSolver};
use rustc_hash::{FxHashMap, FxHashSet};

/// A place where a thread can wait.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Blocked {
    /// Before a lock, a join, or a wake-up.
    At(EventId),
    /// In an await, whose failing iteration ends this node.
    Await(NodeId),
}

impl Blocked {
    pub(super) fn thread(self, forest: &Forest) -> &ThreadName {
        match self {
            Blocked::At(e) => forest.thread(e),
            Blocked::Await(n) => forest.thread_of_node(n),
        }
    }

    /// Whether the thread has executed `e` when it waits here.
    fn is_after(self, forest: &Forest, e: EventId) -> bool {
        match self {
            Blocked::At(b) => forest.program_order(e, b),
            Blocked::Await(n) => forest.reaches(forest.position(e).node, n),
        }
    }
}

impl<S: OrderSolver> Encoding<S> {
    /// For every place where a thread can be stuck for ever, as far as a look at the forest tells, a goal: it is.
    pub fn stuck_goals(&mut self, forest: &Forest) -> Vec<(Blocked, Lit)> {
        let places = self.possible_places(forest);
        let goals: Vec<(Blocked, Lit)> = places.into_iter().map(|p| (p, self.solver.new_lit())).collect();
        let mut in_set: FxHashMap<ThreadName, Lit> = FxHashMap::default();
        for tree in &forest.trees {
            let thread = &tree.key.thread;
            let holds_up = |p: Blocked| p.thread(forest) == thread || self.is_in_atomic_section(forest, p);
            let ways: Vec<Lit> = goals.iter().filter(|(p, _)| holds_up(*p)).map(|&(_, lit)| lit).collect();
            if !in_set.contains_key(thread) && !ways.is_empty() {
                let lit = self.solver.new_lit();
                self.imply_any(&[lit], &ways);
                for exit in self.sections.exits.get(thread).cloned().unwrap_or_default() {
                    self.imply(lit, !self.executed(exit));
                }
                in_set.insert(thread.clone(), lit);
            }
        }
        for &(place, goal) in &goals {
            match place {
                Blocked::At(e) => self.blocked_at(forest, goal, e, &in_set),
                Blocked::Await(n) => self.awaits_forever(forest, goal, n, &in_set),
            }
        }
        goals
    }

    fn blocked_at(&mut self, forest: &Forest, goal: Lit, e: EventId, in_set: &FxHashMap<ThreadName, Lit>) {
        self.imply(goal, self.before(forest, e));
        if !seeded(Fault::StuckThoughDone) {
            self.imply(goal, !self.executed(e));
        }
        match &forest.event(e).kind {
            EventKind::Join { thread, .. } => {
                let stuck = in_set.get(thread).copied().unwrap_or(Lit::FALSE);
                if !seeded(Fault::JoinedNotStuck) {
                    self.imply(goal, stuck);
                }
                // Who joins what another has joined or detached does not wait for it.
                for parting in self.other_partings(forest, e) {
                    self.imply(goal, !self.executed(parting));
                }
            }
            EventKind::Lock { mutex, .. } => {
                let holders: Vec<Lit> = self
                    .possible_holders(forest, e, *mutex)
                    .into_iter()
                    .map(|lock| self.holds(forest, lock, forest.thread(e), in_set))
                    .collect();
                self.imply_any(&[goal], &holders);
            }
            EventKind::Wake { enqueue } => {
                self.nobody_wakes(forest, goal, *enqueue);
                self.nobody_else_runs(forest, goal, forest.thread(e), in_set);
            }
            _ => unreachable!("threads block at locks, joins and wake-ups"),
        }
    }

    /// The literal that says: a thread of the set has got the mutex by `lock`, and has not released it.
    fn holds(
        &mut self,
        forest: &Forest,
        lock: EventId,
        waiting: &ThreadName,
        in_set: &FxHashMap<ThreadName, Lit>,
    ) -> Lit {
        let holds = self.solver.new_lit();
        self.imply(holds, self.executed(lock));
        for unlock in self.sections.unlocks(lock).to_vec() {
            if !seeded(Fault::HeldThoughUnlocked) {
                self.imply(holds, !self.executed(unlock));
            }
        }
        if forest.thread(lock) != waiting {
            // A thread that has ended will not unlock it either.
            let mut gone = vec![in_set.get(forest.thread(lock)).copied().unwrap_or(Lit::FALSE)];
            let exits = self.sections.exits.get(forest.thread(lock)).cloned().unwrap_or_default();
            if !seeded(Fault::DeadHoldersRelease) {
                gone.extend(exits.iter().map(|&x| self.executed(x)));
            }
            if !seeded(Fault::HolderNotStuck) {
                self.imply_any(&[holds], &gone);
            }
        }
        holds
    }

    fn awaits_forever(&mut self, forest: &Forest, goal: Lit, n: NodeId, in_set: &FxHashMap<ThreadName, Lit>) {
        self.imply(goal, self.finished(n));
        let waiting = forest.thread_of_node(n);
        self.nobody_else_runs(forest, goal, waiting, in_set);
        for e in self.failing_iteration(forest, n) {
            if let EventKind::Look { enqueue, .. } = forest.event(e).kind {
                self.nobody_wakes(forest, goal, enqueue);
            }
        }
        for r in self.failing_iteration(forest, n).into_iter().filter(|&e| forest.event(e).kind.is_read()) {
            for cell in self.memory.cells[&r].clone() {
                for (w, hit) in cell.hits {
                    if forest.thread(w) != waiting && !seeded(Fault::AwaitMissesWrites) {
                        let conditions = [goal, hit, self.active(r)];
                        self.order(&conditions, self.global(w), self.global(r));
                    }
                }
            }
        }
    }

    /// Every thread but the waiting one has ended, or is stuck as well.
    fn nobody_else_runs(
        &mut self,
        forest: &Forest,
        goal: Lit,
        waiting: &ThreadName,
        in_set: &FxHashMap<ThreadName, Lit>,
    ) {
        let threads: FxHashSet<&ThreadName> = forest.trees.iter().map(|t| &t.key.thread).collect();
        for thread in threads.into_iter().filter(|&t| t != waiting) {
            let mut over = vec![in_set.get(thread).copied().unwrap_or(Lit::FALSE)];
            let exits = self.sections.exits.get(thread).cloned().unwrap_or_default();
            over.extend(exits.iter().map(|&x| self.executed(x)));
            for started in self.starts_of(forest, thread) {
                if !seeded(Fault::AwaitAmongOthers) {
                    self.imply_any(&[goal, started], &over);
                }
            }
        }
    }

    /// The literals under which a thread has been created.
    pub(super) fn starts_of(&self, forest: &Forest, thread: &ThreadName) -> Vec<Lit> {
        let trees: Vec<TreeId> = forest.trees_of_thread(thread).collect();
        if trees.iter().any(|&tree| forest.exists_from_the_start(tree)) {
            return vec![Lit::TRUE];
        }
        let creates = trees.into_iter().flat_map(|t| self.sections.creates(t));
        creates.map(|&c| self.executed(c)).collect()
    }

    /// The events of the failing iteration that ends a node.
    pub fn failing_iteration(&self, forest: &Forest, n: NodeId) -> Vec<EventId> {
        let NodeEnd::Again(Position { node, index }) = forest.node(n).end else { unreachable!("awaits end in Again") };
        let path = forest.path_to(n);
        let from = path.iter().position(|&p| p == node).expect("an iteration begins on its path");
        let events = path[from..].iter().enumerate().flat_map(|(i, &p)| {
            let skip = if i == 0 { index } else { 0 };
            forest.node(p).events.iter().copied().skip(skip)
        });
        events.collect()
    }

    fn possible_holders(&self, forest: &Forest, e: EventId, mutex: u64) -> Vec<EventId> {
        let locks = self.sections.locks.get(&mutex).map_or(&[][..], |l| l);
        let can_hold = |&lock: &EventId| {
            if forest.thread(lock) != forest.thread(e) {
                return true;
            }
            forest.program_order(lock, e) && !self.released_before(forest, lock, Blocked::At(e))
        };
        locks.iter().copied().filter(can_hold).collect()
    }

    fn released_before(&self, forest: &Forest, lock: EventId, place: Blocked) -> bool {
        self.sections.unlocks(lock).iter().any(|&u| place.is_after(forest, u))
    }

    /// Places where a thread could be stuck: the greatest set in which everybody has somebody to wait for.
    fn possible_places(&self, forest: &Forest) -> Vec<Blocked> {
        let blocking = |e: &EventId| {
            let kind = &forest.event(*e).kind;
            matches!(kind, EventKind::Lock { waits: true, .. } | EventKind::Join { .. } | EventKind::Wake { .. })
        };
        let mut places: Vec<Blocked> = forest.event_ids().filter(blocking).map(Blocked::At).collect();
        // Who can decide to go on is not stuck: a wait that ends when time is up, or without a signal. Nor is who locks and
        // unlocks mutexes for ever, to the machine.
        let decides = |e: EventId| matches!(forest.event(e).kind, EventKind::Choose { .. } | EventKind::Lock { .. });
        let again = |n: &NodeId| {
            matches!(forest.node(*n).end, NodeEnd::Again(_))
                && !self.failing_iteration(forest, *n).into_iter().any(decides)
        };
        places.extend(forest.node_ids().filter(again).map(Blocked::Await));
        loop {
            let kept: Vec<Blocked> =
                places.iter().copied().filter(|&p| self.can_be_stuck(forest, p, &places)).collect();
            if kept.len() == places.len() {
                return places;
            }
            places = kept;
        }
    }

    /// Whether the thread waits inside an atomic section, so that nobody else can go on.
    fn is_in_atomic_section(&self, forest: &Forest, place: Blocked) -> bool {
        let before = match place {
            Blocked::At(e) => previous(forest, e),
            Blocked::Await(n) => last_event(forest, n),
        };
        before.is_some_and(|e| self.in_atomic_section(forest, e))
    }

    fn can_be_stuck(&self, forest: &Forest, place: Blocked, places: &[Blocked]) -> bool {
        let Blocked::At(e) = place else { return true };
        let stops = |p: &Blocked, thread| p.thread(forest) == thread || self.is_in_atomic_section(forest, *p);
        match &forest.event(e).kind {
            EventKind::Join { thread, .. } => places.iter().any(|p| stops(p, thread)),
            EventKind::Lock { mutex, .. } => self.possible_holders(forest, e, *mutex).iter().any(|&lock| {
                let waits_with_it = |p: &Blocked| {
                    let holder = forest.thread(lock);
                    let with_it = p.is_after(forest, lock) && !self.released_before(forest, lock, *p);
                    stops(p, holder) && (with_it || p.thread(forest) != holder)
                };
                let exits = self.sections.exits.get(forest.thread(lock)).map_or(&[][..], |x| x);
                let ends_with_it = |&x: &EventId| {
                    Blocked::At(x).is_after(forest, lock) && !self.released_before(forest, lock, Blocked::At(x))
                };
                places.iter().any(waits_with_it) || exits.iter().any(ends_with_it)
            }),
            EventKind::Wake { enqueue } => !forest.opening.woken.contains(enqueue),
            _ => false,
        }
    }
}
