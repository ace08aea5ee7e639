//! Condition variables: who is woken by which signal.
//!
//! A thread waits from its enqueue event until a signal is matched with it, or until it leaves. A signal wakes one of
//! those who wait, any of them; that it wakes nobody means that nobody waits. A broadcast wakes all who wait.

use super::Encoding;
use crate::event::{EventId, EventKind};
use crate::faults::{Fault, seeded};
use crate::forest::Forest;
use ordain_solve::order::{Lit, OrderSolver};
use rustc_hash::FxHashMap;

/// Everything that is about one condition.
#[derive(Default)]
struct Condition {
    enqueues: Vec<EventId>,
    signals: Vec<EventId>,
    looks: Vec<EventId>,
    waiters: Vec<EventId>,
}

#[derive(Default)]
pub struct Wakings {
    /// By enqueue event: the signals that may wake the thread, with the literal that says so.
    by: FxHashMap<EventId, Vec<(EventId, Lit)>>,
    /// By enqueue event: where the thread leaves on its own, or looks whether it should.
    leaves: FxHashMap<EventId, Vec<EventId>>,
}

impl<S: OrderSolver> Encoding<S> {
    pub(super) fn encode_conditions_variables(&mut self, forest: &Forest) {
        let mut conditions: Vec<(u64, Condition)> = collect(forest).into_iter().collect();
        conditions.sort_by_key(|(address, _)| *address);
        for (_, condition) in &conditions {
            self.match_signals(forest, condition);
        }
        for (_, condition) in &conditions {
            for &s in &condition.signals {
                self.encode_signal(forest, s, &condition.enqueues);
            }
            for &look in &condition.looks {
                self.encode_look(forest, look);
            }
            for &waiters in &condition.waiters {
                self.encode_waiters(forest, waiters, &condition.enqueues);
            }
        }
    }

    /// One literal for every signal and everyone it could wake.
    fn match_signals(&mut self, forest: &Forest, condition: &Condition) {
        for &look in &condition.looks {
            if let EventKind::Look { enqueue, leaves: true, .. } = forest.event(look).kind {
                self.wakings.leaves.entry(enqueue).or_default().push(look);
            }
        }
        let mut of_signal: FxHashMap<EventId, Vec<Lit>> = FxHashMap::default();
        for &q in &condition.enqueues {
            let mut matches = Vec::new();
            for &s in condition.signals.iter().filter(|&&s| forest.thread(s) != forest.thread(q)) {
                let lit = self.solver.new_lit();
                self.imply(lit, self.executed(s));
                self.imply(lit, self.executed(q));
                self.order(&[lit], self.global(q), self.global(s));
                for leave in self.leaves_of(q) {
                    self.order(&[lit, self.executed(leave)], self.global(s), self.global(leave));
                }
                matches.push((s, lit));
                of_signal.entry(s).or_default().push(lit);
            }
            if !seeded(Fault::WokenTwice) {
                self.at_most_one(&matches.iter().map(|&(_, lit)| lit).collect::<Vec<_>>());
            }
            self.wakings.by.insert(q, matches);
        }
        for (s, lits) in of_signal {
            if matches!(forest.event(s).kind, EventKind::Signal { all: false, .. }) && !seeded(Fault::SignalWakesMany) {
                self.at_most_one(&lits);
            }
        }
    }

    pub(super) fn at_most_one(&mut self, lits: &[Lit]) {
        for (i, &a) in lits.iter().enumerate() {
            for &b in &lits[i + 1..] {
                self.solver.add_clause(&[!a, !b]);
            }
        }
    }

    fn leaves_of(&self, q: EventId) -> Vec<EventId> {
        self.wakings.leaves.get(&q).cloned().unwrap_or_default()
    }

    pub(super) fn wakers(&self, q: EventId) -> Vec<(EventId, Lit)> {
        self.wakings.by.get(&q).cloned().unwrap_or_default()
    }

    /// A signal passes by somebody who waits only if it wakes another one.
    fn encode_signal(&mut self, forest: &Forest, s: EventId, enqueues: &[EventId]) {
        let EventKind::Signal { all, .. } = forest.event(s).kind else { unreachable!("signals only") };
        let others = enqueues.iter().copied().filter(|&q| forest.thread(q) != forest.thread(s));
        let others: Vec<EventId> = others.collect();
        let wakes = |this: &Self, q| this.wakers(q).into_iter().find(|&(w, _)| w == s).map(|(_, lit)| lit);
        let woken: Vec<Lit> = others.iter().filter_map(|&q| wakes(self, q)).collect();
        for &q in &others {
            let mut excuses = if all { Vec::from_iter(wakes(self, q)) } else { woken.clone() };
            excuses.extend(self.does_not_wait(forest, q, s));
            if !seeded(Fault::SignalLost) {
                self.imply_any(&[self.executed(s), self.executed(q)], &excuses);
            }
        }
    }

    /// Ways for the thread of `q` not to wait at the moment of `e`: it waits later, or no longer.
    fn does_not_wait(&mut self, forest: &Forest, q: EventId, e: EventId) -> Vec<Lit> {
        let mut ways = vec![self.ordered(self.global(e), self.global(q))];
        for (s, lit) in self.wakers(q).into_iter().filter(|&(s, _)| s != e) {
            if forest.exclusive(s, e) {
                continue;
            }
            let before = self.solver.new_lit();
            self.imply(before, lit);
            self.order(&[before], self.global(s), self.global(e));
            ways.push(before);
        }
        for leave in self.leaves_of(q) {
            let gone = self.solver.new_lit();
            self.imply(gone, self.executed(leave));
            self.order(&[gone], self.global(leave), self.global(e));
            ways.push(gone);
        }
        ways
    }

    /// A literal that puts one moment before another.
    fn ordered(&mut self, first: ordain_solve::order::Node, second: ordain_solve::order::Node) -> Lit {
        let lit = self.solver.new_lit();
        self.order(&[lit], first, second);
        lit
    }

    /// What a thread sees of whether it was woken, or that it was, if it goes on only then.
    fn encode_look(&mut self, forest: &Forest, look: EventId) {
        let (q, woken) = match forest.event(look).kind {
            EventKind::Wake { enqueue } => (enqueue, Lit::TRUE),
            EventKind::Look { enqueue, woken, .. } => (enqueue, self.term(forest, woken)),
            _ => unreachable!("looks only"),
        };
        if forest.opening.woken.contains(&q) {
            return self.imply(self.executed(look), woken);
        }
        let mut ways = Vec::new();
        for (s, lit) in self.wakers(q) {
            let before = self.solver.new_lit();
            self.imply(before, lit);
            self.order(&[before], self.global(s), self.global(look));
            ways.push(before);
            self.order(&[lit, self.executed(look), !woken], self.global(look), self.global(s));
        }
        if !seeded(Fault::WokenByNobody) {
            self.imply_any(&[self.executed(look), woken], &ways);
        }
    }

    fn encode_waiters(&mut self, forest: &Forest, e: EventId, enqueues: &[EventId]) {
        let EventKind::Waiters { any, .. } = forest.event(e).kind else { unreachable!("waiters only") };
        let any = self.term(forest, any);
        let mut somebody = Vec::new();
        for &q in enqueues.iter().filter(|&&q| forest.thread(q) != forest.thread(e)) {
            let absent = self.does_not_wait(forest, q, e);
            self.imply_any(&[self.executed(e), !any, self.executed(q)], &absent);
            let waits = self.solver.new_lit();
            self.imply(waits, self.executed(q));
            self.order(&[waits], self.global(q), self.global(e));
            for (s, lit) in self.wakers(q) {
                self.order(&[waits, lit], self.global(e), self.global(s));
            }
            for leave in self.leaves_of(q) {
                self.order(&[waits, self.executed(leave)], self.global(e), self.global(leave));
            }
            somebody.push(waits);
        }
        self.imply_any(&[self.executed(e), any], &somebody);
    }

    /// Nobody has woken the thread that waits since `q`.
    pub(super) fn nobody_wakes(&mut self, forest: &Forest, goal: Lit, q: EventId) {
        if forest.opening.woken.contains(&q) {
            self.imply(goal, Lit::FALSE);
        }
        for (_, lit) in self.wakers(q) {
            self.imply(goal, !lit);
        }
    }

    /// By signal: whom it wakes, in the last solution.
    pub(super) fn woken(&self) -> FxHashMap<EventId, EventId> {
        let pairs = self.wakings.by.iter().flat_map(|(&q, by)| by.iter().map(move |&(s, lit)| (s, q, lit)));
        pairs.filter(|&(.., lit)| self.solver.value(lit)).map(|(s, q, _)| (s, q)).collect()
    }
}

fn collect(forest: &Forest) -> FxHashMap<u64, Condition> {
    let mut conditions: FxHashMap<u64, Condition> = FxHashMap::default();
    for e in forest.event_ids() {
        match forest.event(e).kind {
            // Who has been woken before everything waits no longer.
            EventKind::Enqueue { .. } if forest.opening.woken.contains(&e) => {}
            EventKind::Enqueue { condition } => conditions.entry(condition).or_default().enqueues.push(e),
            EventKind::Signal { condition, .. } => conditions.entry(condition).or_default().signals.push(e),
            EventKind::Waiters { condition, .. } => conditions.entry(condition).or_default().waiters.push(e),
            EventKind::Wake { enqueue } | EventKind::Look { enqueue, .. } => {
                if let EventKind::Enqueue { condition } = forest.event(enqueue).kind {
                    conditions.entry(condition).or_default().looks.push(e);
                }
            }
            _ => {}
        }
    }
    conditions
}
