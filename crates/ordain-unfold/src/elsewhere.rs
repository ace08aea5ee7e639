//! Threads that leave the way of a script.
//!
//! Along a script a branch is a condition. Where it does not hold the thread goes elsewhere, and what it would do there nobody knows: what
//! it has read is its last event. There is one thing, though, that it may do in that very step, and that others notice: come to its end.
//! The mutexes that it has not given back are nobody's any more, and what it was to do for others it has not done.
//!
//! So where the other way may lead to the end of the thread with no point between, the branch is a decision, and that way is followed as
//! any other, to the end or else to the first point. All other branches stay conditions.

use crate::Unfolder;
use crate::access::Stop;
use crate::script::{ELSEWHERE, leaves};
use crate::state::State;
use ordain_expr::Term;
use ordain_ir::program::{BlockId, Pc};
use ordain_model::event::EventKind;
use ordain_model::faults::{Fault, seeded};
use ordain_model::forest::{Cut, Decision, NodeEnd, NodeId, Outcome, Subject};

/// Decisions after each other, on the way from a script to the end of the thread, that are followed without anybody asking for them. Beyond
/// that they are like others: a loop may have any number.
const MOST_AT_ONCE: u32 = 4;

impl Unfolder<'_> {
    /// Whether the thread may come to its end without a point if the branch at hand leads it anywhere but `to`.
    pub(crate) fn may_end_elsewhere(&mut self, state: &State, to: Option<BlockId>) -> bool {
        if self.options.script.as_ref().is_none_or(|script| !script.follows_ends) || seeded(Fault::EndsElsewhereLost) {
            return false;
        }
        let Some((top, callers)) = state.frames.split_last() else { return false };
        let (facts, code) = (self.facts.function(top.function), self.program.function(top.function));
        let ways = facts.successors(facts.block_of(top.pc)).iter().filter(|&&way| Some(way) != to);
        let mut starts = ways.map(|way| code.blocks[way.index()].start);
        starts.any(|start| self.quiet.may_return(top.function, start))
            && callers.iter().all(|frame| self.quiet.may_return(frame.function, Pc(frame.pc.0 + 1)))
    }

    /// The thread leaves its way at the branch at hand, whose condition is known. It goes on only if it may come to its end.
    pub(crate) fn leave(&mut self, state: &mut State) -> Result<(), Stop> {
        if !self.may_end_elsewhere(state, None) {
            return Err(leaves(ELSEWHERE));
        }
        state.go_elsewhere();
        Ok(())
    }

    /// The thread stays on its way if `condition` holds, and else leaves it. Returns the node in which it stays.
    pub(crate) fn part(&mut self, state: &mut State, node: NodeId, condition: Term) -> NodeId {
        let on = Subject::Condition(condition);
        let decision = Decision { site: state.decision_site(self.program), on, children: Vec::new() };
        self.forest.node_mut(node).end = NodeEnd::Decision(decision);
        let (stays, leaves) = (self.forest.add_child(node, Outcome::Yes), self.forest.add_child(node, Outcome::No));
        let mut elsewhere = state.clone();
        elsewhere.know(&mut self.forest.terms, condition, false);
        elsewhere.go_elsewhere();
        self.walk(elsewhere, leaves);
        state.know(&mut self.forest.terms, condition, true);
        // What comes after it depends on the condition, as after any other branch.
        self.emit(stays, state, state.site(self.program), EventKind::Assume { condition });
        stays
    }

    /// Whether a thread that has left its way stands at a point, which it does not execute any more.
    pub(crate) fn comes_to_a_point_elsewhere(&self, state: &State) -> bool {
        let frame = state.frame();
        state.elsewhere.is_some() && self.program.function(frame.function).code[frame.pc.index()].is_point()
    }

    /// Follows all outcomes of a decision that a thread comes to after it has left its way, unless there were many before.
    pub(crate) fn follow_all(&mut self, node: NodeId) {
        let Some(left) = self.states[&node].elsewhere.and_then(|left| left.checked_sub(1)) else { return };
        let NodeEnd::Decision(decision) = &self.forest.node(node).end else { return };
        let outcomes: Vec<Outcome> = match &decision.on {
            Subject::Condition(_) => vec![Outcome::Yes, Outcome::No],
            Subject::Switch { cases, .. } => {
                cases.iter().map(|&case| Outcome::Case(case)).chain([Outcome::Default]).collect()
            }
            Subject::Value(_) | Subject::Pointer { .. } | Subject::TryLock { .. } => return,
        };
        if let Some(state) = self.states.get_mut(&node) {
            state.elsewhere = Some(left);
        }
        for outcome in outcomes {
            self.follow(node, outcome);
        }
    }
}

impl State {
    fn go_elsewhere(&mut self) {
        self.elsewhere = Some(MOST_AT_ONCE);
        self.events_beyond = None;
        self.frames.iter_mut().for_each(|frame| frame.scripted = false);
    }

    /// How a path comes to its end: of one that has left the script, only that the thread has ended counts.
    pub(crate) fn end_there(&self, end: NodeEnd) -> NodeEnd {
        match end {
            end if self.elsewhere.is_none() => end,
            NodeEnd::Exit => NodeEnd::Exit,
            _ => NodeEnd::Cut(Cut::Bound(ELSEWHERE.to_owned())),
        }
    }
}
