//! What a thread does without further ado.
//!
//! A step of the machine is a point and everything local up to the next one. So a thread that has executed a point has also
//! done what follows in the same step: it has taken the decisions that are due, has left functions (which ends the life
//! of their variables), has ended. And a thread that was created has begun.

use super::Encoding;
use super::program_order::{is_in_step_before, previous};
use crate::event::{EventId, EventKind};
use crate::faults::{Fault, seeded};
use crate::forest::{Forest, NodeEnd, Subject};
use ordain_solve::order::{Lit, OrderSolver};

impl<S: OrderSolver> Encoding<S> {
    pub(super) fn encode_eagerness(&mut self, forest: &mut Forest) {
        for n in forest.node_ids() {
            let NodeEnd::Decision(d) = forest.node(n).end.clone() else { continue };
            if matches!(d.on, Subject::TryLock { .. }) || seeded(Fault::DecisionsWait) {
                continue;
            }
            for (outcome, child) in d.children {
                let condition = forest.outcome_condition(&d.on, outcome);
                let condition = self.term(forest, condition);
                self.imply_any(&[self.finished(n), condition], &[self.entered(child)]);
            }
        }
        for tree in forest.tree_ids() {
            let start = forest.node(forest.tree(tree).root).events[0];
            for create in self.sections.creates(tree).to_vec() {
                self.imply(self.executed(create), self.executed(start));
            }
        }
        for e in forest.event_ids() {
            if seeded(Fault::StepsStopHalfway) || matches!(forest.event(e).kind, EventKind::Start { .. }) {
                continue;
            }
            self.pass_by(forest, e);
            let follows_point = previous(forest, e).is_some_and(|before| !is_local(&forest.event(before).kind));
            if is_in_step_before(forest, e) && (is_local(&forest.event(e).kind) || follows_point) {
                self.follow_at_once(forest, e);
            }
        }
    }

    /// An event that does not take place holds nobody up: what comes after it, on a side of a branch that has no points of
    /// its own or after both sides, belongs to the step before.
    fn pass_by(&mut self, forest: &Forest, e: EventId) {
        let guard = self.term(forest, forest.event(e).guard);
        if guard != Lit::TRUE && !seeded(Fault::AbsentHoldUp) {
            let (before, executed) = (self.before(forest, e), self.executed(e));
            self.imply_any(&[before, !guard], &[executed]);
        }
    }

    /// The event is in the same step as the one before it.
    fn follow_at_once(&mut self, forest: &Forest, e: EventId) {
        let (before, executed) = (self.before(forest, e), self.executed(e));
        let holds = match forest.event(e).kind {
            EventKind::Use { value } => self.is_defined(forest, value),
            EventKind::Assume { condition } => self.term(forest, condition),
            _ => Lit::TRUE,
        };
        // Where it does not hold, the thread stops.
        self.imply_any(&[before, holds], &[executed]);
    }
}

/// Whether an event is no point, nor part of one. (What a point needs to be defined is looked at before it.)
fn is_local(kind: &EventKind) -> bool {
    matches!(
        kind,
        EventKind::Use { .. }
            | EventKind::Assume { .. }
            | EventKind::Exit { .. }
            | EventKind::Free { returning: true, .. }
    )
}
