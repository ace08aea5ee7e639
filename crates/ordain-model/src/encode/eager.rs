//! What a thread does without further ado.
//!
//! A step of the machine is a point and everything local up to the next one. So a thread that has executed a point has also
//! done what follows in the same step: it has taken the decisions that are due, has left functions (which ends the life
//! of their variables), has ended. And a thread that was created has begun.

use super::Encoding;
use super::program_order::previous;
use crate::event::{EventId, EventKind};
use crate::faults::{Fault, seeded};
use crate::forest::{Forest, NodeEnd, NodeId, Subject};
use crate::meeting::{AtOnce, first_step};
use ordain_solve::order::{Lit, OrderSolver};
use rustc_hash::FxHashMap;

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
        let at_once = self.comes_at_once(forest);
        for e in forest.event_ids() {
            if seeded(Fault::StepsStopHalfway) || matches!(forest.event(e).kind, EventKind::Start { .. }) {
                continue;
            }
            self.pass_by(forest, e);
            let kind = &forest.event(e).kind;
            match previous(forest, e).map(|before| forest.event(before)) {
                Some(before) => {
                    let same_step = before.step == forest.event(e).step;
                    if same_step && (is_local(kind) || !is_local(&before.kind)) {
                        self.follow_at_once(forest, e, Lit::TRUE);
                    } else {
                        self.return_at_once(forest, e);
                    }
                }
                None => {
                    let meeting = forest.stage(forest.position(e).node);
                    if let Some(&when) = at_once.get(&meeting)
                        && forest.event(e).step == first_step(meeting)
                        && is_local(kind)
                    {
                        self.follow_at_once(forest, e, when);
                    }
                }
            }
        }
    }

    /// For every meeting, the literal under which a thread comes to it in the step of an event.
    fn comes_at_once(&mut self, forest: &Forest) -> FxHashMap<NodeId, Lit> {
        let mut at_once: FxHashMap<NodeId, Lit> = FxHashMap::default();
        for n in forest.tree_ids().flat_map(|tree| forest.in_order(tree)) {
            let Some(meeting) = forest.meeting(n) else { continue };
            let mut ways = Vec::new();
            for way in &meeting.ways {
                let before = match way.at_once {
                    AtOnce::Yes => Lit::TRUE,
                    AtOnce::No => Lit::FALSE,
                    AtOnce::AsAt(before) => at_once[&before],
                };
                ways.push(self.and(self.finished(way.from), before));
            }
            let any = self.any(&ways);
            at_once.insert(n, any);
        }
        at_once
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

    /// If a function returns with `e`, it does in the step of the last point before, though that may not be the last event.
    fn return_at_once(&mut self, forest: &Forest, e: EventId) {
        for (_, mut conditions) in self.points_of_return(forest, e) {
            conditions.push(self.before(forest, e));
            self.imply_any(&conditions, &[self.executed(e)]);
        }
    }

    /// The event is, if this literal holds, in the same step as the one before it.
    fn follow_at_once(&mut self, forest: &Forest, e: EventId, when: Lit) {
        let (before, executed) = (self.before(forest, e), self.executed(e));
        let holds = match forest.event(e).kind {
            EventKind::Use { value } => self.is_defined(forest, value),
            EventKind::Assume { condition } => self.term(forest, condition),
            _ => Lit::TRUE,
        };
        // Where it does not hold, the thread stops.
        self.imply_any(&[before, when, holds], &[executed]);
    }
}

/// Whether an event is no point, nor part of one. (What a point needs to be defined is looked at before it.)
pub(super) fn is_local(kind: &EventKind) -> bool {
    matches!(
        kind,
        EventKind::Use { .. }
            | EventKind::Assume { .. }
            | EventKind::Exit { .. }
            | EventKind::Free { returning: Some(_), .. }
    )
}
