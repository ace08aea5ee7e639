//! Unfolding along a recording: what every thread did is known, branch by branch.
//!
//! A *script* says which way each thread went at every branch and switch that was recorded. The path is then not a decision
//! any more but a condition: whatever was read on the way had to make the thread go that way, so a branch becomes an event
//! that assumes it (`EventKind::Assume`), and one segment goes on where there would have been two outcomes. What ran
//! natively in the recorded process (`Script::native`) has no branches in the script and is unfolded as always.
//!
//! A thread may have waited in a loop for a long time. Rounds of an await that changed nothing are left out here as well
//! (`await_loop`): whoever waits could as well have been slower.

use crate::Unfolder;
use crate::access::{Effects, Lane, Stop};
use crate::builtin::unsupported;
use crate::state::State;
use ordain_expr::op::{BinOp, Pred, mask};
use ordain_expr::{Node, Term};
use ordain_ir::facts::loops;
use ordain_ir::program::{BlockId, FuncId, Inst, Pc};
use ordain_model::answers::Answers;
use ordain_model::encode::Waits;
use ordain_model::event::{EventId, EventKind, Site};
use ordain_model::forest::{Cut, InputKey, NodeEnd, NodeId, Position};
use ordain_model::names::ThreadName;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Why a path ends that leaves the recorded one, or comes to its end.
pub(crate) const ELSEWHERE: &str = "the recorded run does not go this way";
const OVER: &str = "the recording ends here";

/// Whether this is why a path ends that leaves the recorded one, or comes to its end. What ends for any other reason was not followed as
/// far as it should be.
pub fn is_end_of_script(why: &str) -> bool {
    why == ELSEWHERE || why == OVER
}

/// What the threads of a run did, as far as it was recorded.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// What is known of each thread, in its order. A thread that is not here did not get to its first step.
    pub steps: FxHashMap<ThreadName, Vec<Step>>,
    /// Functions that ran natively, with everything that they call: nothing is known of the ways they went.
    pub native: FxHashSet<FuncId>,
    /// These, and what only they call.
    pub unrecorded: FxHashSet<FuncId>,
    /// What the program asked for and got.
    pub inputs: FxHashMap<InputKey, Vec<u8>>,
    /// How its system calls were answered.
    pub answers: Answers,
    /// Where functions are, by where they were in the process that was recorded.
    pub functions: FxHashMap<u64, u64>,
    /// The branches that are in no log, because they can be computed.
    pub computed: FxHashSet<(FuncId, Pc)>,
    /// Branches that are left open, though something is known of the others around them: those of loops in which a thread only waits.
    pub open: FxHashSet<(FuncId, Pc)>,
    /// The thread that has gone where there is no memory, if one has.
    pub faulting: Option<ThreadName>,
    /// Pointers that threads have read and that are taken to be the same in all executions.
    pub pointers: Pointers,
    /// Whether threads that leave their ways are followed to their end, if that is what they come to.
    pub follows_ends: bool,
    /// Where accesses were in the run, if it is only a part of one: an index into large memory that depends on what others do leads
    /// to one of these places.
    pub indices: Option<Indices>,
}

/// The addresses that instructions have accessed, whichever thread it was.
pub type Indices = FxHashMap<(FuncId, Pc), BTreeSet<u64>>;

/// What plain loads of each thread have read, by their place, in order: an address, or something else.
pub type Pointers = FxHashMap<ThreadName, FxHashMap<(FuncId, Pc), Vec<Option<u64>>>>;

/// What is known of the instruction at `pc` of `function`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    pub function: FuncId,
    pub pc: Pc,
    pub what: What,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// A branch or switch led to this block.
    Branch { to: BlockId },
    /// It read this, or allocated memory there: if it is an address, one of the process that was recorded.
    Value(u64),
    /// It calls a function of the library, or allocates, and gave this as its nth argument.
    Argument { nth: u32, value: u64 },
}

/// Beyond its script a thread is followed for no more events than this.
const MOST_EVENTS_BEYOND: usize = 64;

/// Objects with more bytes than this are large: what a read could see of all of it is too much for the solver.
const LARGE: u64 = 1 << 10;

/// What is not a null pointer, and not an address either, on any system that programs are recorded on.
const LEAST_ADDRESS: u64 = 1 << 32;

impl Script {
    /// Whether an access of this thread may be what the run has failed by.
    fn faults(&self, thread: &ThreadName) -> bool {
        self.faulting.as_ref() == Some(thread)
    }

    /// The next step of a thread.
    fn step(&self, state: &State) -> Option<Step> {
        self.steps.get(&state.thread)?.get(state.scripted).copied()
    }
}

impl Unfolder<'_> {
    /// Where threads may have to wait, as far as that is no event.
    pub fn waits(&self) -> &Waits {
        &self.waits
    }

    /// Whether what a function does that is called from `caller` (or by nobody) is in the script.
    pub(crate) fn is_scripted(&self, caller: Option<bool>, function: FuncId) -> bool {
        let script = self.options.script.as_ref();
        script.is_some_and(|script| caller.unwrap_or(true) && !script.native.contains(&function))
    }

    /// Where the script leads from the branch at hand, which depends on `value`, if it has something to say about it.
    pub(crate) fn scripted_way(
        &mut self,
        state: &mut State,
        node: NodeId,
        value: Term,
    ) -> Result<Option<BlockId>, Stop> {
        let frame = state.frame();
        let Some(script) = self.options.script.clone().filter(|_| frame.scripted) else { return Ok(None) };
        if script.open.contains(&(frame.function, frame.pc)) {
            return Ok(None);
        }
        match script.step(state) {
            Some(Step { function, pc, what: What::Branch { to } }) if (function, pc) == (frame.function, frame.pc) => {
                Ok(Some(to))
            }
            // Before this, the thread came by a decision that is not in the script, and took another way there.
            Some(_) => self.leave(state).map(|()| None),
            None if self.may_end_elsewhere(state, None) => self.leave(state).map(|()| None),
            // The script is over, but this does not depend on anything.
            None if state.known(&self.forest.terms, value).is_some() => {
                // What nobody has written down, because it follows, the thread may as well have done.
                let follows = script.computed.contains(&(frame.function, frame.pc));
                state.events_beyond = match (state.events_beyond, follows) {
                    (Some(left), true) => Some(left),
                    (None, true) => Some(MOST_EVENTS_BEYOND),
                    (_, false) => Some(0),
                };
                Ok(None)
            }
            None => {
                let (function, pc) = (frame.function, frame.pc);
                // It may be the branch itself that the thread failed at.
                self.with_lane(state, node, |this, state, lane, effects| {
                    this.use_value(state, lane, effects, value);
                    Ok(())
                })?;
                if self.may_come_to_wait(function, pc) {
                    self.waits.open_ends.insert(node);
                }
                Err(leaves(OVER))
            }
        }
    }

    /// Whether a thread that goes on from the branch at `pc` may come to a loop in which it waits before it does anything that
    /// others notice. What is beyond the function is not looked at: there it may.
    fn may_come_to_wait(&self, function: FuncId, pc: Pc) -> bool {
        let (facts, code) = (self.facts.function(function), self.program.function(function));
        let mut open = facts.successors(facts.block_of(pc)).to_vec();
        let mut seen: FxHashSet<BlockId> = open.iter().copied().collect();
        while let Some(block) = open.pop() {
            if facts.is_loop_header(block) && loops::may_await(code, facts, block) {
                return true;
            }
            let insts = &code.code[code.blocks[block.index()].start.index()..code.blocks[block.index()].end.index()];
            if insts.iter().any(|inst| matches!(inst, Inst::Ret { .. } | Inst::Call { .. }) && !inst.is_point()) {
                return true;
            }
            if !insts.iter().any(Inst::is_point) {
                open.extend(facts.successors(block).iter().filter(|&&next| seen.insert(next)));
            }
        }
        false
    }

    /// Goes where the script says, which `condition` has to hold for.
    pub(crate) fn go_as_scripted(
        &mut self,
        state: &mut State,
        node: NodeId,
        condition: Term,
        to: BlockId,
    ) -> Result<(), Stop> {
        match state.known(&self.forest.terms, condition) {
            Some(true) => {}
            Some(false) => return self.leave(state),
            None => {
                self.with_lane(state, node, |this, state, lane, effects| {
                    this.use_value(state, lane, effects, condition);
                    Ok(())
                })?;
                if self.may_end_elsewhere(state, Some(to)) {
                    return Err(Stop::Part(condition));
                }
                self.emit(node, state, state.site(self.program), EventKind::Assume { condition });
                state.know(&mut self.forest.terms, condition, true);
            }
        }
        // If this forks, the branch is executed again, and then the condition is known.
        self.enter_block(state, node, to)?;
        state.scripted += 1;
        Ok(())
    }

    /// Whether what the main thread does before it creates another is how memory begins.
    pub fn settles(&self) -> bool {
        self.options.script.is_some() && !self.sharing.is_unsettled() && self.scene.is_none()
    }

    /// Whether the thread is the main thread, and has not created another yet. What it does to memory then is, along a script,
    /// how memory begins.
    pub(crate) fn is_early(&self, state: &State) -> bool {
        let begins = state.creates == 0 && state.thread.is_main();
        begins && self.settles()
    }

    /// The main thread creates its first: what memory holds is what all others find, unless it was changed since.
    pub(crate) fn settle(&mut self, state: &State) {
        match self.is_early(state) {
            true if state.decisions > 0 => self.sharing.note_unsettled(),
            true => self.settled = Rc::clone(&state.memory),
            false => {}
        }
    }

    /// What the script says that the instruction at `site` has read or allocated, if it does.
    fn scripted_value(&self, state: &mut State, site: Site) -> Option<u64> {
        let script = self.options.script.as_ref().filter(|_| state.frame().scripted)?;
        match script.step(state)? {
            Step { function, pc, what: What::Value(value) } if (function, pc) == (site.function, site.pc) => {
                state.scripted += 1;
                Some(value)
            }
            _ => None,
        }
    }

    /// A value that was read is what the script says. Returns what is known of it then.
    pub(crate) fn as_scripted(&mut self, state: &mut State, lane: &Lane, effects: &mut Effects, read: Term) -> Term {
        let Some(there) = self.scripted_value(state, effects.site) else { return read };
        let width = self.forest.terms.width(read);
        let is_address = width == 64 && there >= LEAST_ADDRESS;
        let here = if is_address { self.here(there) } else { Some(there & mask(width)) };
        let Some(here) = here.filter(|_| self.forest.terms.as_const(read).is_none()) else { return read };
        let value = self.forest.terms.constant(width, here);
        let condition = self.forest.terms.eq(read, value);
        self.use_value(state, lane, effects, condition);
        effects.emit(state, lane.guard, EventKind::Assume { condition });
        value
    }

    /// A pointer that was read is the one that the thread has read in the run, if that is what is asked for.
    pub(crate) fn as_in_run(&mut self, state: &mut State, lane: &Lane, effects: &mut Effects, read: Term) -> Term {
        let Some(script) = self.options.script.as_ref().filter(|_| state.frame().scripted) else { return read };
        let at = (effects.site.function, effects.site.pc);
        let Some(known) = script.pointers.get(&state.thread).and_then(|of_thread| of_thread.get(&at)) else {
            return read;
        };
        let count = state.loads.entry(at).or_default();
        let pointer = known.get(*count as usize).copied().flatten();
        *count += 1;
        let Some(pointer) = pointer.filter(|_| self.forest.terms.as_const(read).is_none()) else { return read };
        let value = self.forest.terms.constant(self.forest.terms.width(read), pointer);
        let condition = self.forest.terms.eq(read, value);
        self.use_value(state, lane, effects, condition);
        effects.emit(state, lane.guard, EventKind::Assume { condition });
        value
    }

    /// What the call at hand was given, as far as the script says so.
    pub(crate) fn scripted_arguments(
        &mut self,
        state: &mut State,
        node: NodeId,
        given: &mut [Term],
    ) -> Result<(), Stop> {
        let frame = state.frame();
        let (function, pc) = (frame.function, frame.pc);
        while let Some(script) = self.options.script.as_ref().filter(|_| state.frame().scripted)
            && let Some(Step { what: What::Argument { nth, value }, .. }) =
                script.step(state).filter(|step| (step.function, step.pc) == (function, pc))
        {
            state.scripted += 1;
            let Some(argument) = given.get_mut(nth as usize) else { continue };
            let width = self.forest.terms.width(*argument);
            // An address may be elsewhere here.
            if self.forest.terms.as_const(*argument).is_some() || value & mask(width) >= LEAST_ADDRESS {
                continue;
            }
            let value = self.forest.terms.constant(width, value & mask(width));
            let condition = self.forest.terms.eq(*argument, value);
            self.with_lane(state, node, |this, state, lane, effects| {
                this.use_value(state, lane, effects, condition);
                effects.emit(state, lane.guard, EventKind::Assume { condition });
                Ok(())
            })?;
            *argument = value;
        }
        Ok(())
    }

    /// Where something is that was elsewhere in the process that was recorded.
    fn here(&mut self, there: u64) -> Option<u64> {
        let function = self.options.script.as_ref().and_then(|script| script.functions.get(&there).copied());
        function.or_else(|| self.sharing.place_of(there))
    }

    /// An object was allocated: where it was in the process that was recorded, the script may know.
    pub(crate) fn note_place(&mut self, state: &mut State, site: Site, base: Term) {
        let Some(there) = self.scripted_value(state, site) else { return };
        let object = self.forest.terms.as_const(base).and_then(|base| self.book.borrow().object(base));
        if let Some(object) = object {
            self.sharing.note_place(there, object.size, object.base);
        }
    }

    /// The object that an address is in which is computed from its own: without a script that would be a decision. Whoever goes
    /// beyond the object has failed there, and the recorded thread went on.
    pub(crate) fn object_by_base(
        &mut self,
        state: &State,
        lane: &Lane,
        effects: &mut Effects,
        address: Term,
        bytes: u64,
    ) -> Option<u64> {
        if !state.frame().scripted || self.options.script.as_ref()?.faults(&state.thread) {
            return None;
        }
        let base = self.constant_part(address)?;
        let object = self.book.borrow().find(base).filter(|object| object.size >= bytes)?;
        let terms = &mut self.forest.terms;
        let first = terms.constant(64, object.base);
        let offset = terms.bin(BinOp::Sub, address, first);
        let most = terms.constant(64, object.size - bytes);
        let condition = terms.cmp(Pred::Ule, offset, most);
        effects.emit(state, lane.guard, EventKind::Assume { condition });
        Some(object.base)
    }

    /// An address that depends on what threads read from each other leads, in large memory, to one of the places where the instruction has
    /// been in the run.
    pub(crate) fn keep_among_indices(
        &mut self,
        state: &State,
        lane: &Lane,
        effects: &mut Effects,
        (object, address): (u64, Term),
        bytes: u64,
    ) -> Result<(), Stop> {
        let size = self.forest.objects[&object].size;
        let Some(indices) = self.options.script.as_ref().and_then(|script| script.indices.as_ref()) else {
            return Ok(());
        };
        if size <= LARGE {
            return Ok(());
        }
        let known = indices.get(&(effects.site.function, effects.site.pc));
        let inside = known.map(|known| known.range(object..=object + size - bytes).copied().collect::<Vec<u64>>());
        let (Some(inside), Ok(bytes)) = (inside.filter(|inside| !inside.is_empty()), u8::try_from(bytes)) else {
            return unsupported("an index into large memory, where the run did not come by");
        };
        let terms = &mut self.forest.terms;
        let mut is_there = terms.constant(1, 0);
        for &place in &inside {
            let place = terms.constant(64, place);
            let is_it = terms.eq(address, place);
            is_there = terms.or(is_there, is_it);
        }
        effects.emit(state, lane.guard, EventKind::Assume { condition: is_there });
        let object = self.forest.objects.get_mut(&object).expect("resolved addresses are in objects");
        object.indexed.extend(inside.into_iter().map(|place| (place, bytes)));
        Ok(())
    }

    /// The sum of the constants that are added up in an address.
    fn constant_part(&self, address: Term) -> Option<u64> {
        match self.forest.terms.node(address) {
            Node::Bin(BinOp::Add, a, b) => match (self.constant_part(a), self.constant_part(b)) {
                (Some(a), Some(b)) => Some(a.wrapping_add(b)),
                (a, b) => a.or(b),
            },
            _ => self.forest.terms.as_const(address),
        }
    }

    /// The thread, if it has gone beyond its script, has come to something that others may notice, the events from `index` on.
    /// Says whether it goes no further: it does if it has created threads that have left a log, and as far as all follows.
    pub(crate) fn ends_beyond_script(&self, state: &mut State, node: NodeId, index: usize) -> bool {
        let Some(left) = state.events_beyond else { return false };
        let done = self.forest.node(node).events.len() - index;
        if done == 0 {
            return false;
        }
        let next_child = state.thread.child(state.creates + 1);
        let owes = self.options.script.as_ref().is_some_and(|script| script.steps.contains_key(&next_child));
        let created = matches!(self.forest.event(self.forest.node(node).events[index]).kind, EventKind::Create { .. });
        state.events_beyond = Some(left.saturating_sub(done));
        left < done && !owes && !created
    }

    /// Of what the thread does there, the events from `index` on, no more than the first is of interest.
    pub(crate) fn end_beyond_script(&mut self, node: NodeId, index: usize) -> NodeEnd {
        let first = self.forest.event(self.forest.node(node).events[index]).kind.clone();
        if self.forest.take_back(Position { node, index }) {
            self.waits.ends.insert(node, first);
        }
        NodeEnd::Cut(Cut::Bound(OVER.to_owned()))
    }

    /// Whether what the thread does in rounds of this loop is in the script.
    pub(crate) fn is_loop_scripted(&self, state: &State, header: BlockId) -> bool {
        let Some(script) = self.options.script.as_ref().filter(|_| state.frame().scripted) else { return false };
        let function = state.frame().function;
        let ways = || loops::ways(self.program.function(function), self.facts.function(function), header);
        script.open.is_empty() || !ways().into_iter().any(|(pc, _, _)| script.open.contains(&(function, pc)))
    }

    /// A round of a loop begins: it may be one of an await, unless the loop counts its rounds.
    pub(crate) fn begin_round(&mut self, function: FuncId, header: BlockId, position: Position) {
        let may_wait = || loops::may_await(self.program.function(function), self.facts.function(function), header);
        if self.options.script.is_some() && may_wait() {
            self.waits.rounds.insert(position);
        }
    }

    /// A round of an await that began at `position` was for nothing. Forgets its events; says whether that could be done.
    pub(crate) fn forget_round(&mut self, node: NodeId, position: Position) -> bool {
        let round = &self.forest.node(node).events[position.index.min(self.forest.node(node).events.len())..];
        // What holds a mutex, or waits, is known by the event that it began with.
        let only_looks = |e: &EventId| {
            let kind = &self.forest.event(*e).kind;
            kind.access().is_some() || matches!(kind, EventKind::Use { .. } | EventKind::Assume { .. })
        };
        position.node == node && round.iter().all(only_looks) && self.forest.take_back(position)
    }
}

pub(crate) fn leaves(why: &str) -> Stop {
    Stop::End(NodeEnd::Cut(Cut::Bound(why.to_owned())))
}
