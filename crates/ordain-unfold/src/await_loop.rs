//! Awaits: loops that wait for another thread.
//!
//! When a thread comes back to a loop header exactly as it was there before, having only read in between, the iteration
//! has changed nothing: the thread is waiting. Such a path ends with `Again`. Executions in which the thread waits longer
//! add nothing, because it could as well have been slower, so only the iteration that leaves the loop takes part in
//! executions; a failing one can be a thread's last.

use crate::Unfolder;
use crate::access::Stop;
use crate::state::{Arrival, State};
use ordain_ir::program::BlockId;
use ordain_model::event::EventKind;
use ordain_model::forest::{NodeEnd, NodeId, Position};
use std::rc::Rc;

impl Unfolder<'_> {
    /// The thread arrives at a loop header, in the topmost frame.
    pub(crate) fn arrive(&mut self, state: &mut State, node: NodeId, block: BlockId) -> Result<(), Stop> {
        let (depth, function) = (state.frames.len(), state.frame().function);
        let live = self.facts.function(function).live_in(block);
        let registers = live.iter().map(|r| state.frame().registers[r.index()]).collect();
        let position = Position { node, index: self.forest.node(node).events.len() };
        let mut now = Arrival {
            depth,
            block,
            registers,
            memory: Rc::clone(&state.memory),
            position,
            inputs: state.inputs,
            decided: 0,
            decisions: state.decisions,
        };
        let before = state.arrivals.iter().position(|a| a.depth == depth && a.block == block);
        if let Some(i) = before {
            let before = &state.arrivals[i];
            if self.nothing_happened(state, before, &now) {
                return Err(Stop::End(NodeEnd::Again(before.position)));
            }
            now.decided = before.decided + u32::from(before.decisions < now.decisions);
            if self.options.unroll.is_some_and(|limit| now.decided > limit) {
                return Err(Stop::End(self.cut_loop(function)));
            }
            // Inner loops start afresh.
            state.arrivals.truncate(i);
        }
        state.arrivals.push(now);
        Ok(())
    }

    fn nothing_happened(&self, state: &State, before: &Arrival, now: &Arrival) -> bool {
        before.registers == now.registers
            && before.inputs == now.inputs
            && (Rc::ptr_eq(&before.memory, &now.memory) || before.memory == now.memory)
            && before.decisions < now.decisions
            && self.only_reads(state, before.position, now.position)
    }

    /// Whether between two positions of one path the thread has only looked at memory.
    fn only_reads(&self, state: &State, from: Position, to: Position) -> bool {
        let path = self.forest.path_to(to.node);
        let start = path.iter().position(|&n| n == from.node).expect("an arrival lies on the path");
        path[start..].iter().enumerate().all(|(i, &n)| {
            let events = &self.forest.node(n).events;
            let first = if i == 0 { from.index } else { 0 };
            let last = if n == to.node { to.index } else { events.len() };
            events[first..last].iter().all(|&e| match self.forest.event(e).kind {
                EventKind::Read { .. } | EventKind::Use { .. } => true,
                EventKind::Rmw { writes, .. } => state.known(&self.forest.terms, writes) == Some(false),
                _ => false,
            })
        })
    }
}
