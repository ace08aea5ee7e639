//! What can be asked of an encoding: goals are literals to assume.

use super::Encoding;
use super::life::{frees, object_of};
use crate::event::{EventId, EventKind};
use crate::faults::{Fault, seeded};
use crate::forest::{Forest, NodeId, Stub};
use ordain_solve::order::{Lit, OrderSolver};

impl<S: OrderSolver> Encoding<S> {
    /// A thread takes an outcome that nobody has followed yet, as its last step.
    pub fn reaches_stub(&mut self, forest: &mut Forest, stub: Stub) -> Lit {
        let condition = forest.stub_condition(stub);
        let condition = self.term(forest, condition);
        let goal = self.solver.new_lit();
        self.imply(goal, self.finished(stub.node));
        if !seeded(Fault::StubUnconditional) {
            self.imply(goal, condition);
        }
        goal
    }

    /// A thread comes to the end of a node.
    pub fn reaches_end(&self, node: NodeId) -> Lit {
        self.finished(node)
    }

    /// A thread is about to touch something that another thread has freed. `None` if nobody does.
    pub fn touches_freed(&mut self, forest: &Forest, e: EventId) -> Option<Lit> {
        let object = object_of(&forest.event(e).kind)?;
        let frees = frees(forest).remove(&object).unwrap_or_default();
        let by_others = frees.into_iter().filter(|&f| forest.thread(f) != forest.thread(e));
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

    /// A thread stands before `e`, which is going to take place.
    fn about_to(&mut self, forest: &Forest, e: EventId) -> Lit {
        let goal = self.solver.new_lit();
        let guard = self.term(forest, forest.event(e).guard);
        self.imply(goal, self.before(forest, e));
        if !seeded(Fault::GuardNotAsked) {
            self.imply(goal, guard);
        }
        self.imply(goal, !self.executed(e));
        goal
    }
}
