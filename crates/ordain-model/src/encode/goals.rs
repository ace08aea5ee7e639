//! What can be asked of an encoding: goals are literals to assume.

use super::Encoding;
use super::life::{frees, object_of};
use crate::event::{EventId, EventKind};
use crate::faults::{Fault, seeded};
use crate::forest::{Decision, Forest, NodeEnd, NodeId, Outcome, Stub, Subject};
use ordain_solve::order::{Lit, OrderSolver};

impl<S: OrderSolver> Encoding<S> {
    /// A thread takes an outcome that nobody has followed yet, as its last step.
    pub fn reaches_stub(&mut self, forest: &mut Forest, stub: Stub) -> Lit {
        let condition = forest.stub_condition(stub);
        let condition = if seeded(Fault::StubUnconditional) { Lit::TRUE } else { self.term(forest, condition) };
        let reached = self.and(self.finished(stub.node), condition);
        let NodeEnd::Decision(Decision { on: Subject::TryLock { mutex }, .. }) = forest.node(stub.node).end else {
            return reached;
        };
        let goal = self.solver.new_lit();
        self.imply(goal, reached);
        // No condition over values keeps its outcomes apart.
        let siblings: Vec<Lit> = self.entered_children(forest, stub.node);
        siblings.into_iter().for_each(|s| self.imply(goal, !s));
        self.finds_mutex(forest, goal, stub.node, mutex, stub.outcome == Some(Outcome::Yes));
        goal
    }

    /// A question was answered by no: that may help with the next ones.
    pub fn rule_out(&mut self, goal: Lit) {
        self.solver.add_clause(&[!goal]);
    }

    fn entered_children(&self, forest: &Forest, node: NodeId) -> Vec<Lit> {
        let NodeEnd::Decision(d) = &forest.node(node).end else { return Vec::new() };
        // The forest may have grown since it was encoded.
        d.children.iter().filter_map(|(_, child)| self.entered.get(child.0 as usize).copied()).collect()
    }

    /// As things stand, nobody else (or somebody else) holds the mutex.
    fn finds_mutex(&mut self, forest: &Forest, goal: Lit, node: NodeId, mutex: u64, free: bool) {
        let thread = forest.thread_of_node(node);
        let locks = self.sections.locks.get(&mutex).cloned().unwrap_or_default();
        let mut holders = Vec::new();
        for lock in locks.into_iter().filter(|&l| forest.thread(l) != thread) {
            let unlocks = self.sections.unlocks(lock).to_vec();
            let released: Vec<Lit> = unlocks.iter().map(|&u| self.executed(u)).collect();
            if free {
                self.imply_any(&[goal, self.executed(lock)], &released);
            } else {
                let holds = self.solver.new_lit();
                self.imply(holds, self.executed(lock));
                released.iter().for_each(|&r| self.imply(holds, !r));
                holders.push(holds);
            }
        }
        if !free {
            self.imply_any(&[goal], &holders);
        }
    }

    /// One of several goals.
    pub fn any_of(&mut self, goals: &[Lit]) -> Lit {
        let any = self.solver.new_lit();
        self.imply_any(&[any], goals);
        any
    }

    /// All of several goals.
    pub fn all_of(&mut self, goals: &[Lit]) -> Lit {
        let all = self.solver.new_lit();
        goals.iter().for_each(|&goal| self.imply(all, goal));
        all
    }

    /// A thread comes to the end of a node.
    pub fn reaches_end(&self, node: NodeId) -> Lit {
        self.finished(node)
    }

    /// A thread is about to touch something that another thread has freed. `None` if nobody does.
    pub fn touches_freed(&mut self, forest: &Forest, e: EventId) -> Option<Lit> {
        let object = object_of(forest, e)?;
        let frees = frees(forest).remove(&object).unwrap_or_default();
        // The forest may have grown since it was encoded.
        let encoded = frees.into_iter().filter(|f| (f.0 as usize) < self.executed.len());
        let by_others = encoded.filter(|&f| forest.thread(f) != forest.thread(e));
        let freed: Vec<Lit> = by_others.map(|f| self.executed(f)).collect();
        if freed.is_empty() {
            return None;
        }
        let goal = self.about_to(forest, e);
        if !seeded(Fault::NotFreedYet) {
            self.imply_any(&[goal], &freed);
        }
        Some(goal)
    }

    /// A thread is about to join or detach one that another has joined or detached. `None` if no other does.
    pub fn parts_again(&mut self, forest: &Forest, e: EventId) -> Option<Lit> {
        let others: Vec<Lit> = self.other_partings(forest, e).into_iter().map(|p| self.executed(p)).collect();
        if others.is_empty() {
            return None;
        }
        let goal = self.about_to(forest, e);
        self.imply_any(&[goal], &others);
        Some(goal)
    }

    /// A thread is about to decide something by an undefined value. `None` if it is always defined.
    pub fn uses_undefined(&mut self, forest: &mut Forest, e: EventId) -> Option<Lit> {
        let EventKind::Use { value } = forest.event(e).kind else { return None };
        let defined = self.is_defined(forest, value);
        if defined == Lit::TRUE {
            return None;
        }
        self.encode_definedness(forest);
        let goal = self.about_to(forest, e);
        if !seeded(Fault::DefinedAfterAll) {
            self.imply(goal, !defined);
        }
        Some(goal)
    }

    /// A thread stands before `e`, which is going to take place: what does not is passed by at once (`eager`).
    fn about_to(&mut self, forest: &Forest, e: EventId) -> Lit {
        let goal = self.solver.new_lit();
        self.imply(goal, self.before(forest, e));
        self.imply(goal, !self.executed(e));
        goal
    }
}
