//! Awaits: loops that wait for another thread.
//!
//! When a thread comes back to a loop header exactly as it was there before, having changed nothing in memory, the
//! iteration was for nothing: the thread is waiting. (A read-modify-write changes nothing if it writes what was there
//! before, such as a test-and-set of a lock that is taken; whether it does is a decision.) Such a path ends with `Again`.
//! Executions in which the thread waits longer add nothing, because it could as well have been slower, so only the
//! iteration that leaves the loop takes part in executions; a failing one can be a thread's last.
//!
//! There is one thing that a failing iteration adds: its accesses can race with what others do after the thread has left the
//! loop. For a race one of them is enough, so where that may be (`Sharing`), one failing iteration comes before the others.
//!
//! Memory that was allocated and is not used any more changes nothing but where later memory lies, which the program must not
//! depend on.
//!
//! Mutexes that are locked and unlocked on the way, or unlocked and locked again (waiting for a condition that nobody
//! signals, until time is up or for no reason at all), change nothing either: whoever had one meanwhile could have had it
//! before. Unless somebody tries to lock them, which is how the others would notice.

use crate::Await;
use crate::Unfolder;
use crate::access::Stop;
use crate::state::{Arrival, State};
use ordain_expr::op::{BinOp, Pred};
use ordain_expr::{Node, Term};
use ordain_ir::program::BlockId;
use ordain_model::event::{EventId, EventKind};
use ordain_model::forest::{NodeEnd, NodeId, Position, Subject};
use ordain_model::memory::ObjectOrigin;
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
            first_point: None,
            inputs: state.inputs,
            allocations: state.allocations.clone(),
            dead: state.dead.clone(),
            atomic: state.atomic,
            decided: 0,
            decisions: state.decisions,
            failed: false,
            blurred: false,
        };
        self.begin_round(function, block, position);
        let before = state.arrivals.iter().position(|a| a.depth == depth && a.block == block);
        if let Some(i) = before {
            self.look_through(state);
            let before = &state.arrivals[i];
            let (position, first_point) = (before.position, before.first_point);
            let before = before.clone();
            if before.blurred {
                self.note_blurred_round(state, &before, &now);
            } else if let Some(mut changes) = self.differences(state, &before, &now)
                && let Some(in_memory) = self.changes_between(position, now.position)
            {
                changes.extend(in_memory);
                if self.none_of_them(state, block, changes)? {
                    let Some(site) = first_point else {
                        return Err(Stop::End(self.cut_loop(
                            state,
                            node,
                            block,
                            "goes on for ever without doing anything",
                        )));
                    };
                    if self.is_loop_scripted(state, block) {
                        if self.forget_round(node, position) {
                            state.arrivals.truncate(i + 1);
                            return Ok(());
                        }
                        state.arrivals.truncate(i);
                        state.arrivals.push(now);
                        return Ok(());
                    }
                    let header = (function, block);
                    if before.failed || !self.sharing.is_noticed(header) {
                        let allocates = before.allocations != now.allocations;
                        self.awaits.insert(node, Await { site, header, allocates });
                        return Err(Stop::End(NodeEnd::Again(position)));
                    }
                    now.failed = true;
                }
            }
            let before = &state.arrivals[i];
            now.decided = before.decided + u32::from(before.decisions < now.decisions);
            if let Some(limit) = self.options.unroll.filter(|&limit| now.decided > limit) {
                let why = format!("was cut after {limit} rounds (--unroll)");
                return Err(Stop::End(self.cut_loop(state, node, block, &why)));
            }
            // Inner loops start afresh.
            state.arrivals.truncate(i);
        }
        state.arrivals.push(now);
        Ok(())
    }

    /// The conditions under which the thread's own state is not what it was; `None` if it surely is not.
    fn differences(&mut self, state: &State, before: &Arrival, now: &Arrival) -> Option<Vec<Term>> {
        if before.inputs != now.inputs {
            return None;
        }
        let registers = before.registers.iter().copied().zip(now.registers.iter().copied());
        let mut differences = self.conditions_to_differ(registers.collect())?;
        if !Rc::ptr_eq(&before.memory, &now.memory) {
            let bytes = self.changed_bytes(state, now.block, (&before.memory, &now.memory));
            let bytes: Option<Vec<(Term, Term)>> = bytes.into_iter().map(|(was, is)| was.zip(is)).collect();
            differences.extend(self.conditions_to_differ(bytes?)?);
        }
        // What nobody else notices is no event: that private memory was freed, that a section has begun inside another.
        (before.atomic == now.atomic && self.kept_alive(before, now)).then_some(differences)
    }

    /// The conditions under which some of these differ; `None` if some surely do.
    pub(crate) fn conditions_to_differ(&mut self, pairs: Vec<(Term, Term)>) -> Option<Vec<Term>> {
        let mut differences = Vec::new();
        for (a, b) in pairs.into_iter().filter(|(a, b)| a != b) {
            if self.forest.terms.width(a) != self.forest.terms.width(b) {
                return None;
            }
            let differs = self.forest.terms.cmp(Pred::Ne, a, b);
            if self.forest.terms.as_const(differs) == Some(1) {
                return None;
            }
            differences.push(differs);
        }
        Some(differences)
    }

    /// Whether everything that was there at the first arrival still is. What came and went since, nobody knows any more.
    fn kept_alive(&self, before: &Arrival, now: &Arrival) -> bool {
        let (book, thread) = (self.book.borrow(), self.forest.thread_of_node(now.position.node));
        let is_newer = |object: &u64| match book.object(*object).map(|o| o.origin) {
            Some(ObjectOrigin::Allocation(a)) if a.thread == *thread => {
                a.nth >= before.allocations.get(&(a.function, a.pc)).copied().unwrap_or(0)
            }
            _ => false,
        };
        now.dead.iter().filter(|object| !before.dead.contains(*object)).all(is_newer)
    }

    /// The conditions under which something was changed between two positions of one path; `None` if something was
    /// anyway.
    fn changes_between(&mut self, from: Position, to: Position) -> Option<Vec<Term>> {
        let events = self.events_between(from, to);
        if !self.keeps_mutexes(&events, from) {
            return None;
        }
        self.changes_by(&events)
    }

    /// The events between two positions of one path, which meets no other in between.
    pub(crate) fn events_between(&self, from: Position, to: Position) -> Vec<EventId> {
        let path = self.forest.path_to(to.node);
        let start = path.iter().position(|&n| n == from.node).expect("an arrival lies on the path");
        let mut events = Vec::new();
        for (i, &n) in path[start..].iter().enumerate() {
            let here = &self.forest.node(n).events;
            let first = if i == 0 { from.index } else { 0 };
            let last = if n == to.node { to.index } else { here.len() };
            events.extend_from_slice(&here[first..last]);
        }
        events
    }

    /// The conditions under which one of these events changes something, besides who has mutexes; `None` if one does anyway.
    pub(crate) fn changes_by(&mut self, events: &[EventId]) -> Option<Vec<Term>> {
        let mut changes = Vec::new();
        let timed = events.iter().any(|&e| matches!(self.forest.event(e).kind, EventKind::Choose { .. }));
        for &e in events {
            match self.forest.event(e).kind {
                EventKind::Read { .. } | EventKind::Use { .. } | EventKind::Fence { .. } | EventKind::Drain => {}
                EventKind::Choose { .. } | EventKind::Lock { .. } | EventKind::Unlock { .. } => {}
                // The ways that a recorded thread went in a round have to be gone in none that is left out.
                EventKind::Assume { .. } if self.options.script.is_some() => {}
                // Who tries until time is up is never stuck.
                EventKind::Busy { .. } if timed => {}
                // Who leaves before a signal comes has not waited to anybody else.
                EventKind::Enqueue { .. } => {}
                EventKind::Look { woken, .. } => changes.push(woken),
                EventKind::Rmw { old, new, writes, .. } => {
                    let guard = self.forest.event(e).guard;
                    let differs = self.forest.terms.cmp(Pred::Ne, old, new);
                    let changes_it = self.forest.terms.and(writes, differs);
                    changes.push(self.forest.terms.and(guard, changes_it));
                }
                EventKind::Write { .. } => {
                    let guard = self.forest.event(e).guard;
                    if self.forest.terms.as_const(guard) == Some(1) {
                        return None;
                    }
                    changes.push(guard);
                }
                _ => return None,
            }
        }
        Some(changes)
    }

    /// Whether the thread has the same mutexes after these events, which begin at `from`, as before, and nobody can tell.
    fn keeps_mutexes(&mut self, events: &[EventId], from: Position) -> bool {
        let (mut taken, mut released) = (Vec::new(), Vec::new());
        let mut waiting = false;
        for &e in events {
            match self.forest.event(e).kind {
                EventKind::Lock { mutex, waits: true } if self.sharing.is_untried(mutex) => {
                    match released.iter().position(|&m| m == mutex) {
                        Some(i) => drop(released.swap_remove(i)),
                        None => taken.push(e),
                    }
                }
                EventKind::Lock { .. } => return false,
                EventKind::Unlock { mutex, lock } => match taken.iter().position(|&l| l == lock) {
                    Some(i) => drop(taken.swap_remove(i)),
                    // What the thread saw since it has the mutex, it would see differently if it got it later.
                    None if events.contains(&lock) || self.last_done(from) == Some(lock) => released.push(mutex),
                    None => return false,
                },
                EventKind::Enqueue { .. } => waiting = true,
                EventKind::Look { leaves: true, .. } => waiting = false,
                _ => {}
            }
        }
        taken.is_empty() && released.is_empty() && !waiting
    }

    /// Whether none of the conditions holds; forks if the path has not decided that.
    fn none_of_them(&mut self, state: &State, header: BlockId, conditions: Vec<Term>) -> Result<bool, Stop> {
        let mut open = self.forest.terms.bool(false);
        for c in conditions {
            match state.known(&self.forest.terms, c) {
                Some(true) => return Ok(false),
                Some(false) => {}
                None if self.is_ruled_out(state, c) => {}
                None => open = self.forest.terms.or(open, c),
            }
        }
        match state.known(&self.forest.terms, open) {
            Some(changed) => Ok(!changed),
            // Then the round is one like any other.
            None if self.is_loop_scripted(state, header) => Ok(false),
            None => Err(Stop::Decide(Subject::Condition(open))),
        }
    }

    /// Whether a part of a conjunction is known to be false.
    fn is_ruled_out(&self, state: &State, condition: Term) -> bool {
        match self.forest.terms.node(condition) {
            Node::Bin(BinOp::And, a, b) => {
                let no = |t| state.known(&self.forest.terms, t) == Some(false);
                no(a) || no(b) || self.is_ruled_out(state, a) || self.is_ruled_out(state, b)
            }
            _ => false,
        }
    }
}
