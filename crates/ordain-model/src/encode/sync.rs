//! Synchronisation: creation and end of threads, mutexes.
//!
//! Two critical sections of one mutex do not overlap, and one that was left open is the last. A trylock that fails does so
//! inside a section of somebody else. A thread is joined or detached once: executions go on only where that holds, and that
//! it does not is a goal of its own (`goals`).

use super::Encoding;
use crate::event::{EventId, EventKind};
use crate::faults::{Fault, seeded};
use crate::forest::{Forest, TreeId};
use crate::names::ThreadName;
use ordain_solve::order::{Lit, OrderSolver, Way};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Atomic sections are critical sections of a mutex that all of them have in common.
const ATOMIC: u64 = u64::MAX;

/// The events that synchronisation is about, each where it is looked for.
#[derive(Default)]
pub struct Sections {
    /// Lock events by mutex.
    pub locks: FxHashMap<u64, Vec<EventId>>,
    /// The unlocks of a lock event: at most one of them is on any path.
    pub unlocks: FxHashMap<EventId, Vec<EventId>>,
    /// By tree: where a thread is created that begins with it.
    pub creates: FxHashMap<TreeId, Vec<EventId>>,
    pub exits: FxHashMap<ThreadName, Vec<EventId>>,
    /// By thread: where it is joined or detached.
    pub partings: FxHashMap<ThreadName, Vec<EventId>>,
}

impl Sections {
    pub fn new(forest: &Forest) -> Sections {
        let mut this = Sections::default();
        for e in forest.event_ids() {
            match &forest.event(e).kind {
                EventKind::Lock { mutex, .. } => this.locks.entry(*mutex).or_default().push(e),
                EventKind::AtomicBegin => this.locks.entry(ATOMIC).or_default().push(e),
                EventKind::Unlock { lock, .. } | EventKind::AtomicEnd { begin: lock } => {
                    this.unlocks.entry(*lock).or_default().push(e)
                }
                EventKind::Create { child, .. } => this.creates.entry(forest.by_key[child]).or_default().push(e),
                EventKind::Join { thread, .. } | EventKind::Detach { thread } => {
                    this.partings.entry(thread.clone()).or_default().push(e)
                }
                EventKind::Exit { .. } => this.exits.entry(forest.thread(e).clone()).or_default().push(e),
                _ => {}
            }
        }
        this
    }

    /// Whether there are atomic sections: most programs have none.
    pub fn has_atomic(&self) -> bool {
        self.locks.contains_key(&ATOMIC)
    }

    pub fn creates(&self, tree: TreeId) -> &[EventId] {
        self.creates.get(&tree).map_or(&[], |c| c)
    }

    pub fn unlocks(&self, lock: EventId) -> &[EventId] {
        self.unlocks.get(&lock).map_or(&[], |u| u)
    }
}

/// What synchronises with what.
#[derive(Default)]
pub struct Meetings {
    /// The literal "the first section is over before the second begins".
    pub before: FxHashMap<(EventId, EventId), Lit>,
    /// The literal "this exit is what that join has waited for", by join.
    pub joined: FxHashMap<EventId, Vec<(EventId, Lit)>>,
}

impl<S: OrderSolver> Encoding<S> {
    pub(super) fn encode_sync(&mut self, forest: &mut Forest) {
        for e in forest.event_ids() {
            match forest.event(e).kind.clone() {
                EventKind::Start { argument } => self.encode_start(forest, e, argument),
                EventKind::Join { thread, value } => {
                    self.encode_join(forest, e, &thread, value);
                    self.part_once(forest, e);
                }
                EventKind::Detach { .. } => self.part_once(forest, e),
                EventKind::Busy { mutex } => self.encode_busy(forest, e, mutex),
                EventKind::AtomicBegin => self.encode_open_section(forest, e),
                _ => {}
            }
        }
        let mut mutexes: Vec<u64> = self.sections.locks.keys().copied().collect();
        mutexes.sort();
        for mutex in mutexes {
            let locks = self.sections.locks[&mutex].clone();
            for (i, &a) in locks.iter().enumerate() {
                if self.gives_up() {
                    return;
                }
                for &b in &locks[i + 1..] {
                    self.encode_sections(forest, a, b);
                }
            }
        }
    }

    /// What has happened before has happened, before anything else does.
    pub(super) fn encode_opening(&mut self, forest: &Forest) {
        if forest.opening.events.is_empty() {
            return;
        }
        let begins = self.solver.new_node();
        for &e in &forest.opening.events {
            self.solver.add_clause(&[self.executed(e)]);
            self.order(&[], self.global(e), begins);
        }
        for e in forest.event_ids().filter(|&e| matches!(forest.event(e).kind, EventKind::Start { .. })) {
            if forest.exists_from_the_start(forest.tree_of(e)) {
                self.order(&[], begins, self.global(e));
            }
        }
    }

    /// A thread starts after the event that created it. There may be several, on different paths of the parent.
    fn encode_start(&mut self, forest: &Forest, start: EventId, argument: Option<ordain_expr::Term>) {
        let tree = forest.tree_of(start);
        if forest.exists_from_the_start(tree) {
            return;
        }
        let creates = self.sections.creates(tree).to_vec();
        let created: Vec<Lit> = creates.iter().map(|&c| self.executed(c)).collect();
        if !seeded(Fault::StartUncreated) {
            self.imply_any(&[self.executed(start)], &created);
        }
        for create in creates {
            let conditions = [self.executed(create), self.executed(start)];
            if !seeded(Fault::StartUnordered) {
                self.order(&conditions, self.global(create), self.global(start));
            }
            if let (Some(argument), EventKind::Create { argument: given, .. }) = (argument, &forest.event(create).kind)
                && !seeded(Fault::ArgumentFree)
            {
                self.imply_equal(forest, &conditions, argument, *given);
            }
        }
    }

    fn encode_join(&mut self, forest: &Forest, join: EventId, thread: &ThreadName, value: ordain_expr::Term) {
        let exits = self.sections.exits.get(thread).cloned().unwrap_or_default();
        let mut matches = Vec::new();
        for exit in exits {
            let EventKind::Exit { value: returned } = forest.event(exit).kind else { unreachable!("exits") };
            let lit = self.solver.new_lit();
            self.imply(lit, self.executed(exit));
            if !seeded(Fault::JoinUnordered) {
                self.order(&[lit], self.global(exit), self.global(join));
            }
            if !seeded(Fault::JoinValueFree) {
                self.imply_equal(forest, &[lit], value, returned);
            }
            matches.push((exit, lit));
        }
        let any: Vec<Lit> = matches.iter().map(|&(_, lit)| lit).collect();
        if !seeded(Fault::JoinAtOnce) {
            self.imply_any(&[self.executed(join)], &any);
        }
        let way = |&(exit, lit)| Way { lit, needs: self.executed(exit), then: Rc::default() };
        let ways = matches.iter().map(way).collect();
        self.solver.add_choice(join.0, self.executed(join), ways);
        self.meetings.joined.insert(join, matches);
    }

    /// Where else the thread that `e` joins or detaches is joined or detached, by others.
    pub(super) fn other_partings(&self, forest: &Forest, e: EventId) -> Vec<EventId> {
        let (EventKind::Join { thread, .. } | EventKind::Detach { thread }) = &forest.event(e).kind else {
            return Vec::new();
        };
        let partings = self.sections.partings.get(thread).map_or(&[][..], |p| p);
        // What the thread of `e` itself does is settled on its own path.
        partings.iter().copied().filter(|&p| forest.thread(p) != forest.thread(e)).collect()
    }

    fn part_once(&mut self, forest: &Forest, e: EventId) {
        for other in self.other_partings(forest, e) {
            if other < e {
                self.solver.add_clause(&[!self.executed(e), !self.executed(other)]);
            }
        }
    }

    fn unlocks(&self, lock: EventId) -> Vec<EventId> {
        self.sections.unlocks(lock).to_vec()
    }

    /// Whether the thread is in the section of `lock` when it comes to `e`.
    pub(super) fn is_inside(&self, forest: &Forest, lock: EventId, e: EventId) -> bool {
        let unlocks = self.sections.unlocks(lock);
        forest.thread(lock) == forest.thread(e)
            && forest.program_order(lock, e)
            && !unlocks.iter().any(|&u| forest.program_order(u, e))
    }

    fn encode_sections(&mut self, forest: &Forest, a: EventId, b: EventId) {
        if forest.exclusive(a, b) {
            return;
        }
        if forest.thread(a) == forest.thread(b) {
            let (first, second) = if forest.program_order(a, b) { (a, b) } else { (b, a) };
            let released = self.unlocks(first).iter().any(|&u| forest.program_order(u, second));
            if !released && !seeded(Fault::LockedTwice) {
                // Nobody gets a mutex twice.
                self.solver.add_clause(&[!self.executed(second)]);
            }
            return;
        }
        let (ab, ba) = (self.section_before(a, b), self.section_before(b, a));
        if !seeded(Fault::SectionsOverlap) {
            self.imply_any(&[self.executed(a), self.executed(b)], &[ab, ba]);
        }
        let both = self.and(self.executed(a), self.executed(b));
        let ways = [ab, ba].map(|lit| Way { lit, needs: Lit::TRUE, then: Rc::default() });
        self.solver.add_choice(a.0, both, ways.to_vec());
    }

    /// The literal that says: the section of `first` is over when that of `second` begins.
    fn section_before(&mut self, first: EventId, second: EventId) -> Lit {
        let lit = self.solver.new_lit();
        let unlocks = self.unlocks(first);
        let over: Vec<Lit> = unlocks.iter().map(|&u| self.executed(u)).collect();
        if !seeded(Fault::OpenSectionNotLast) {
            self.imply_any(&[lit], &over);
        }
        for &unlock in &unlocks {
            let conditions: &[Lit] = if unlocks.len() == 1 { &[lit] } else { &[lit, self.executed(unlock)] };
            self.order(conditions, self.global(unlock), self.global(second));
        }
        self.meetings.before.insert((first, second), lit);
        lit
    }

    /// As long as an atomic section is open, nobody else does anything: what they did, they did before.
    fn encode_open_section(&mut self, forest: &Forest, begin: EventId) {
        let mut open = vec![self.executed(begin)];
        open.extend(self.unlocks(begin).iter().map(|&end| !self.executed(end)));
        let open = self.implied(&open);
        for e in forest.event_ids().filter(|&e| forest.thread(e) != forest.thread(begin)) {
            self.order(&[open, self.executed(e)], self.global(e), self.global(begin));
        }
    }

    fn encode_busy(&mut self, forest: &Forest, busy: EventId, mutex: u64) {
        let locks = self.sections.locks.get(&mutex).cloned().unwrap_or_default();
        if locks.iter().any(|&lock| self.is_inside(forest, lock, busy)) {
            // The thread has it itself.
            return;
        }
        let mut holders = Vec::new();
        for lock in locks.into_iter().filter(|&l| forest.thread(l) != forest.thread(busy)) {
            let lit = self.solver.new_lit();
            self.imply(lit, self.executed(lock));
            self.order(&[lit], self.global(lock), self.global(busy));
            for unlock in self.unlocks(lock) {
                if !seeded(Fault::BusyAfterUnlock) {
                    self.order(&[lit, self.executed(unlock)], self.global(busy), self.global(unlock));
                }
            }
            holders.push(lit);
        }
        if !seeded(Fault::BusyWithoutHolder) {
            self.imply_any(&[self.executed(busy)], &holders);
        }
    }
}
