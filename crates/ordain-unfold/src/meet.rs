//! Paths that meet again.
//!
//! Branches that cannot be executed under guards (`merge`) are decisions, and decisions multiply: what comes after five of
//! them would be unfolded thirty-two times. But a thread often comes to one place in one state by many ways: it has left the
//! loop, or the function, that the ways differ in. So wherever ways come together (at a block that several lead to, at
//! a return) the state is compared with those of the paths that were there before. Only what can still be read counts; what
//! the path knows about values counts as far as it is about values that can still be read. If there is an equal one, both go
//! on as one path (`ordain_model::meeting`).
//!
//! Which symbols the values are made of does not count: what one path has read at its first attempt, another at its second, is
//! the same from then on, under a new name. (What is undefined on one path has to be so on the other.) Steps, and reads, are named by counting along a path, and such counts differ from
//! way to way: they start afresh.
//!
//! A round of an await must not be blurred by meetings, for it is compared event by event with nothing having happened.
//! Where a loop comes back to a state that may be the same, and other paths have come in meanwhile, `Sharing` keeps paths from
//! meeting in it from then on.

use crate::Unfolder;
use crate::state::{Arrival, Bytes, Frame, State};
use ordain_expr::op::Width;
use ordain_expr::{SymbolId, Term};
use ordain_ir::facts::{Live, Local};
use ordain_ir::program::{BlockId, FuncId, Inst, Pc, Reg};
use ordain_model::event::{EventId, EventKind};
use ordain_model::faults::{Fault, seeded};
use ordain_model::forest::{NodeId, Position, TreeId};
use ordain_model::meeting::{AtOnce, Way, first_step};
use ordain_model::memory::{AllocationKind, ObjectOrigin};
use ordain_model::names::ThreadName;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use std::rc::Rc;

/// States with more private memory than this are not compared: it would cost more than it saves.
const MOST_BYTES: usize = 1 << 14;

/// A place and a state: all that decides how a thread goes on.
#[derive(PartialEq, Eq, Hash)]
pub struct Standing {
    tree: TreeId,
    /// Of the script, that lie behind.
    scripted: usize,
    frames: Vec<Place>,
    memory: Vec<(u64, Term)>,
    allocations: Vec<((FuncId, Pc), u32)>,
    creates: u32,
    inputs: u32,
    held: Vec<(u64, EventId)>,
    waiting: Option<EventId>,
    dead: Vec<u64>,
    parted: Vec<ThreadName>,
    known: Knowledge,
}

#[derive(PartialEq, Eq, Hash)]
struct Place {
    function: FuncId,
    pc: Pc,
    registers: Vec<Term>,
    results: Box<[Reg]>,
    objects: Vec<u64>,
}

/// What the path has decided about values that can still be read.
#[derive(PartialEq, Eq, Hash, Default)]
struct Knowledge {
    conditions: Vec<(Term, bool)>,
    values: Vec<(Term, u64)>,
    defaults: Vec<(Term, Vec<u64>)>,
    pointers: Vec<((Term, u64), u64)>,
}

/// What can still be read of a state.
struct Readable {
    /// By frame.
    live: Vec<Live>,
    memory: Vec<(u64, Term)>,
    /// The symbols in it that get their values on the path, in the order in which they are found: they get new names.
    passing: Vec<SymbolId>,
    /// Inputs: they are what they are on every path.
    kept: FxHashSet<SymbolId>,
}

/// New names of symbols.
type Names = FxHashMap<SymbolId, Term>;

/// What comes of comparing a path with others.
pub enum Meets {
    Nobody,
    /// It is the first that comes here, and goes on in this node.
    First(NodeId),
    /// What comes next is in the forest already.
    Another,
}

impl Unfolder<'_> {
    /// The thread is at a place where ways come together.
    pub(crate) fn meet(&mut self, state: &mut State, node: NodeId) -> Meets {
        let rejoins = std::mem::take(&mut state.rejoins);
        if !(rejoins || state.decisions > state.met_after) || !self.may_meet(state, node) {
            return Meets::Nobody;
        }
        self.look_through(state);
        let here = Position { node, index: self.forest.node(node).events.len() };
        let readable = self.readable(state);
        let names = self.place_holders(&readable.passing);
        let standing = self.standing(state, here, &readable, &names);
        let locked = self.locked(state, here);
        let way = Way { from: node, given: readable.passing.clone(), at_once: self.is_at_once(state, node) };
        let known = self.met.get(&standing).map_or(&[][..], |nodes| nodes);
        let is_open = |meeting: &&NodeId| {
            let wanted = self.forest.meeting(**meeting).and_then(|m| m.locked);
            !self.forest.reaches(**meeting, node) && (wanted.is_none() || wanted == locked)
        };
        if let Some(&meeting) = known.iter().find(is_open) {
            self.forest.lead_to(way, meeting);
            return Meets::Another;
        }
        let widths: Vec<Width> = way.given.iter().map(|&s| self.width_of_symbol(s)).collect();
        let meeting = self.forest.add_meeting(standing.tree, locked, widths.into_iter());
        let names = self.names_at(meeting, &way);
        self.stay_undefined(&way, meeting);
        self.begin_again(state, here, meeting, &readable, &names);
        self.forest.lead_to(way, meeting);
        self.met.entry(standing).or_default().push(meeting);
        Meets::First(meeting)
    }

    fn width_of_symbol(&self, s: SymbolId) -> Width {
        self.forest.terms.width(self.forest.terms.symbol_term(s))
    }

    /// What nobody has defined before a meeting, nobody has after it.
    fn stay_undefined(&mut self, way: &Way, meeting: NodeId) {
        let symbols = self.forest.meeting(meeting).map_or(&[][..], |m| &m.symbols);
        let undefined = way.given.iter().zip(symbols).filter(|(given, _)| self.forest.undefined.contains(given));
        let undefined: Vec<SymbolId> = undefined.map(|(_, &symbol)| symbol).collect();
        self.forest.undefined.extend(undefined);
    }

    /// The names that the symbols of a way get at a meeting.
    fn names_at(&self, meeting: NodeId, way: &Way) -> Names {
        let symbols = self.forest.meeting(meeting).map_or(&[][..], |m| &m.symbols);
        let terms = symbols.iter().map(|&s| self.forest.terms.symbol_term(s));
        way.given.iter().copied().zip(terms).collect()
    }

    /// Names that are the same whatever the symbols are, if they are defined or not in the same way.
    fn place_holders(&mut self, symbols: &[SymbolId]) -> Names {
        let mut names = Names::default();
        for (i, &s) in symbols.iter().enumerate() {
            let (width, undefined) = (self.width_of_symbol(s), self.forest.undefined.contains(&s));
            let holder = self.place_holders.entry((i, width, undefined));
            names.insert(s, *holder.or_insert_with(|| self.forest.terms.symbol(width)));
        }
        names
    }

    fn may_meet(&self, state: &State, node: NodeId) -> bool {
        let plain = state.atomic.is_none() && state.try_lock.is_none() && state.memory.len() <= MOST_BYTES;
        // A variable that others use ends its life with a return, which happens at the moment of the last event before.
        let shared = |object: &u64| {
            let size = self.book.borrow().object(*object).map_or(0, |o| o.size);
            self.sharing.write_is_event(&state.thread, *object, size)
        };
        let here = Position { node, index: self.forest.node(node).events.len() };
        let waits = |arrival: &Arrival| {
            let header = (state.frames[arrival.depth - 1].function, arrival.block);
            self.sharing.is_returning(header) && arrival.position != here || self.sharing.is_noticed(header)
        };
        plain
            && self.options.merge
            && self.options.unroll.is_none()
            && !state.frames.iter().flat_map(|f| &f.objects).any(shared)
            && !state.arrivals.iter().any(waits)
    }

    fn readable(&self, state: &State) -> Readable {
        let live = self.live(state, state.frame().pc);
        let unread = self.unread(state, &live);
        let bytes = state.memory.iter().map(|(&address, &byte)| (address, byte));
        let is_kept = |&(address, byte): &(u64, Term)| {
            self.is_readable(state, &unread, address) && !self.is_untouched(address, byte)
        };
        let memory = sorted(bytes.filter(is_kept));
        let frames = state.frames.iter().zip(&live);
        let registers = frames.flat_map(|(frame, live)| live.registers.iter().map(|r| frame.registers[r.index()]));
        let (mut passing, mut kept) = (Vec::new(), FxHashSet::default());
        let (mut visited, mut seen) = (FxHashSet::default(), FxHashSet::default());
        for t in registers.chain(memory.iter().map(|&(_, byte)| byte)).filter(|&t| visited.insert(t)) {
            for s in self.forest.terms.symbols_in(t).into_iter().filter(|&s| seen.insert(s)) {
                match self.forest.is_bound(s) || self.forest.undefined.contains(&s) {
                    true => passing.push(s),
                    false => _ = kept.insert(s),
                }
            }
        }
        Readable { live, memory, passing, kept }
    }

    /// What can still be read, by frame, if the topmost one is at `pc`.
    fn live(&self, state: &State, pc: Pc) -> Vec<Live> {
        let Some((top, callers)) = state.frames.split_last() else { return Vec::new() };
        let live_on_top = self.facts.function(top.function).live_at(self.program.function(top.function), pc);
        callers.iter().map(|frame| self.live_in_caller(frame)).chain([live_on_top]).collect()
    }

    fn live_in_caller(&self, frame: &Frame) -> Live {
        let Frame { function, pc, .. } = *frame;
        let code = self.program.function(function);
        let facts = self.facts.function(function);
        // It goes on after the call. What the call returns is not there yet, and the callee may use variables it knows of.
        let Live { mut registers, mut dead } = facts.live_at(code, Pc(pc.0 + 1));
        if let Inst::Call { dsts, .. } = &code.code[pc.index()] {
            registers.retain(|r| !dsts.contains(r));
        }
        dead.retain(|local| !local.roams || seeded(Fault::CalleesForgotten));
        Live { registers, dead }
    }

    /// Where variables are that are not read any more before they are written.
    fn unread(&self, state: &State, live: &[Live]) -> Vec<Range<u64>> {
        let mut unread = Vec::new();
        for (frame, live) in state.frames.iter().zip(live) {
            for &Local { slot, bytes, .. } in &live.dead {
                if let Some(base) = self.forest.terms.as_const(frame.registers[slot.index()]) {
                    unread.push(base..base + bytes);
                }
            }
        }
        unread
    }

    /// Whether what is at an address of the thread's private memory can still be read.
    fn is_readable(&self, state: &State, unread: &[Range<u64>], address: u64) -> bool {
        !unread.iter().any(|range| range.contains(&address)) && !self.is_left(state, address)
    }

    /// Whether a byte is as it was from the beginning.
    fn is_untouched(&self, address: u64, byte: Term) -> bool {
        let object = self.book.borrow().find(address).and_then(|o| Some((o.base, self.forest.objects.get(&o.base)?)));
        let initially = object.and_then(|(base, object)| object.contents.byte((address - base) as usize));
        initially.is_some_and(|initially| self.forest.terms.as_const(byte) == Some(u64::from(initially)))
    }

    /// Where private memory is not what it was when the thread came to this loop before, and can still be read: what it was,
    /// and what it is, where that is not what it was from the beginning.
    pub(crate) fn changed_bytes(
        &self,
        state: &State,
        header: BlockId,
        (before, now): (&Bytes, &Bytes),
    ) -> Vec<(Option<Term>, Option<Term>)> {
        let touched = |memory: &Bytes, a: u64| memory.get(&a).copied().filter(|&byte| !self.is_untouched(a, byte));
        let new = now.keys().filter(|address| !before.contains_key(address));
        let all = before.keys().chain(new).copied();
        let differs = |&a: &u64| before.get(&a) != now.get(&a) && touched(before, a) != touched(now, a);
        let changed: Vec<u64> = all.filter(differs).collect();
        if changed.is_empty() {
            return Vec::new();
        }
        let unread = self.unread(state, &self.live(state, state.block_start(self.program, header)));
        let readable = changed.into_iter().filter(|&address| self.is_readable(state, &unread, address));
        readable.map(|address| (before.get(&address).copied(), now.get(&address).copied())).collect()
    }

    /// Whether an address is in a variable of a function that the thread has left, or in freed memory.
    fn is_left(&self, state: &State, address: u64) -> bool {
        let Some(object) = self.book.borrow().find(address) else { return true };
        let left = match &object.origin {
            ObjectOrigin::Allocation(a) if a.kind == AllocationKind::Stack && a.thread == state.thread => {
                state.frames.iter().all(|frame| frame.function != a.function)
            }
            _ => false,
        };
        left || state.dead.contains(&object.base)
    }

    /// What the path has in common with others that it can meet, if its symbols have these names.
    fn standing(&mut self, state: &State, here: Position, readable: &Readable, names: &Names) -> Standing {
        let terms = &mut self.forest.terms;
        let place = |(frame, live): (&Frame, &Live)| Place {
            function: frame.function,
            pc: frame.pc,
            registers: live.registers.iter().map(|r| terms.substitute(frame.registers[r.index()], names)).collect(),
            results: frame.results.clone(),
            objects: frame.objects.clone(),
        };
        let frames: Vec<Place> = state.frames.iter().zip(&readable.live).map(place).collect();
        let terms = &mut self.forest.terms;
        let memory = readable.memory.iter().map(|&(address, byte)| (address, terms.substitute(byte, names))).collect();
        Standing {
            tree: self.forest.node(here.node).tree,
            scripted: state.scripted,
            frames,
            memory,
            allocations: sorted(
                state.allocations.iter().map(|(&s, &n)| (s, n)).filter(|(site, _)| self.is_named(*site)),
            ),
            creates: state.creates,
            inputs: state.inputs,
            held: state.held.clone(),
            waiting: state.waiting,
            dead: sorted(state.dead.iter().copied()),
            parted: sorted(state.parted.iter().cloned()),
            known: match seeded(Fault::KnownByAll) {
                true => Knowledge::default(),
                false => self.knowledge(state, names, &readable.kept),
            },
        }
    }

    /// Whether where the objects lie that are allocated at a place can make a difference: not if their addresses are for
    /// nothing but loads and stores there.
    fn is_named(&self, (function, pc): (FuncId, Pc)) -> bool {
        let inst = &self.program.function(function).code[pc.index()];
        !matches!(inst, Inst::Alloca { escapes: false, .. })
    }

    /// What the path knows about symbols that get new names or keep theirs.
    fn knowledge(&mut self, state: &State, names: &Names, kept: &FxHashSet<SymbolId>) -> Knowledge {
        let terms = &mut self.forest.terms;
        let mut renamed = |t: Term| {
            let is_about = |s: &SymbolId| names.contains_key(s) || kept.contains(s);
            terms.symbols_in(t).iter().all(is_about).then(|| terms.substitute(t, names))
        };
        Knowledge {
            conditions: sorted(state.conditions.iter().filter_map(|(&t, &truth)| Some((renamed(t)?, truth)))),
            values: sorted(state.values.iter().filter_map(|(&t, &value)| Some((renamed(t)?, value)))),
            defaults: sorted(state.defaults.iter().filter_map(|(t, cases)| Some((renamed(*t)?, cases.clone())))),
            pointers: sorted(state.pointers.iter().filter_map(|(&(t, n), &base)| Some(((renamed(t)?, n), base)))),
        }
    }

    /// Whether nothing that is a point has happened since the last event.
    fn is_at_once(&self, state: &State, node: NodeId) -> AtOnce {
        let stage = self.forest.stage(node);
        let last = self.forest.path_to(node).into_iter().rev().find_map(|n| self.forest.node(n).events.last().copied());
        match last {
            Some(e) if self.forest.event(e).step == state.steps => AtOnce::Yes,
            None if state.steps == first_step(stage) => AtOnce::AsAt(stage),
            _ => AtOnce::No,
        }
    }

    fn locked(&self, state: &State, here: Position) -> Option<EventId> {
        self.last_done(here).filter(|&e| state.held.iter().any(|&(_, lock)| lock == e))
    }

    /// The last thing that the thread has done before a position; at a meeting only what all paths know of it.
    pub(crate) fn last_done(&self, position: Position) -> Option<EventId> {
        let is_done = |e: &&EventId| !matches!(self.forest.event(**e).kind, EventKind::Use { .. });
        for n in self.forest.path_to(position.node).into_iter().rev() {
            let events = &self.forest.node(n).events;
            let before = if n == position.node { &events[..position.index] } else { events };
            if let Some(&e) = before.iter().rev().find(is_done) {
                return Some(e);
            }
        }
        self.forest.meeting(self.forest.stage(position.node))?.locked
    }

    /// The state goes on at a meeting, with nothing in it that other paths need not have, and with new symbols instead of these.
    fn begin_again(&mut self, state: &mut State, here: Position, meeting: NodeId, readable: &Readable, names: &Names) {
        let known = self.knowledge(state, names, &readable.kept);
        state.conditions = known.conditions.into_iter().collect();
        state.values = known.values.into_iter().collect();
        state.defaults = known.defaults.into_iter().collect();
        state.pointers = known.pointers.into_iter().collect();
        let terms = &mut self.forest.terms;
        for (frame, live) in state.frames.iter_mut().zip(&readable.live) {
            for r in &live.registers {
                frame.registers[r.index()] = terms.substitute(frame.registers[r.index()], names);
            }
        }
        let bytes = readable.memory.iter().map(|&(address, byte)| (address, terms.substitute(byte, names)));
        state.memory = Rc::new(bytes.collect());
        if !seeded(Fault::ReadsNamedOn) {
            state.reads.clear();
            state.since = Some(meeting);
        }
        state.steps = first_step(meeting);
        state.note_certain_step();
        state.met_after = state.decisions;
        for arrival in &mut state.arrivals {
            if arrival.position == here {
                arrival.position = Position { node: meeting, index: 0 };
                arrival.memory = Rc::clone(&state.memory);
                arrival.registers.iter_mut().for_each(|r| *r = terms.substitute(*r, names));
            } else {
                arrival.blurred = true;
            }
        }
    }

    /// A loop has come round, and other paths have come in on the way. If it may be where it was, it may wait.
    pub(crate) fn note_blurred_round(&mut self, state: &State, before: &Arrival, now: &Arrival) {
        let stage = self.forest.stage(now.position.node);
        let since = self.events_between(Position { node: stage, index: 0 }, now.position);
        if self.may_be_as_before(state, before, now) && self.changes_by(&since).is_some() {
            self.sharing.note_returning((state.frame().function, now.block));
        }
    }

    fn may_be_as_before(&mut self, state: &State, before: &Arrival, now: &Arrival) -> bool {
        let registers = before.registers.iter().copied().zip(now.registers.iter().copied());
        let bytes = self.changed_bytes(state, now.block, (&before.memory, &now.memory));
        let bytes = bytes.into_iter().filter_map(|(was, is)| was.zip(is));
        let pairs: Vec<(Term, Term)> = registers.chain(bytes).collect();
        before.inputs == now.inputs && self.conditions_to_differ(pairs).is_some()
    }
}

fn sorted<T: Ord>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.collect();
    items.sort_unstable();
    items
}
