//! Memory as one thread sees it: private bytes keep their terms, everything else becomes events.

use crate::state::{Bytes, State};
use crate::{Unfolder, wild_kind};
use ordain_expr::Term;
use ordain_expr::op::Width;
use ordain_ir::program::{Builtin, Callee, FuncId, Inst, Ordering, Pc};
use ordain_model::event::{Address, Event, EventKind, Site};
use ordain_model::failure::FailureKind;
use ordain_model::forest::{Contents, NodeEnd, NodeId, Object, Subject};
use ordain_model::memory::{AllocationKind, AllocationName, ObjectInfo, ObjectOrigin};
use ordain_model::names::ThreadName;
use std::rc::Rc;

/// Why execution does not simply go on.
pub enum Stop {
    /// The path forks here; once it is decided, the instruction is executed again.
    Decide(Subject),
    /// The recorded thread went where this holds, and one that does not may come to its end; the instruction is executed again.
    Part(Term),
    End(NodeEnd),
    /// The instruction has no place in a region that is to be merged.
    NotSimple,
}

impl Stop {
    pub fn failure(kind: FailureKind) -> Stop {
        Stop::End(NodeEnd::Failure(kind))
    }
}

/// A read, as it is known on all paths of its thread.
#[derive(PartialEq, Eq, Hash)]
pub struct ReadName {
    thread: ThreadName,
    function: FuncId,
    pc: Pc,
    /// Among the reads at this place on the same path, after this meeting.
    nth: u32,
    since: Option<NodeId>,
    width: Width,
}

/// Registers and private memory of the topmost frame, under a guard: the whole thread, or one side of a branch that is
/// about to be merged.
#[derive(Clone)]
pub struct Lane {
    pub registers: Vec<Term>,
    pub memory: Rc<Bytes>,
    pub guard: Term,
}

/// What an instruction does, besides changing its lane.
pub struct Effects {
    pub site: Site,
    pub events: Vec<Event>,
}

impl Effects {
    pub fn emit(&mut self, state: &State, guard: Term, kind: EventKind) {
        self.events.push(Event { kind, guard, site: self.site, step: state.steps });
    }
}

impl Unfolder<'_> {
    /// A value is about to decide something: it must be defined.
    pub fn use_value(&mut self, state: &State, lane: &Lane, effects: &mut Effects, value: Term) {
        let from_memory = |s| self.forest.undefined.contains(s) || self.forest.is_bound(*s);
        let pending = effects.events.iter().any(|e| matches!(e.kind, EventKind::Read { .. } | EventKind::Rmw { .. }));
        if pending || self.forest.terms.symbols_in(value).iter().any(from_memory) {
            effects.emit(state, lane.guard, EventKind::Use { value });
        }
    }

    /// The object that an access is in.
    pub fn resolve(
        &mut self,
        state: &State,
        lane: &Lane,
        effects: &mut Effects,
        address: Term,
        bytes: u64,
    ) -> Result<Address, Stop> {
        self.use_value(state, lane, effects, address);
        let object = match state.constant(&self.forest.terms, address) {
            Some(a) => {
                let book = self.book.borrow();
                let inside = book.find(a).filter(|o| o.contains(a, bytes));
                inside.map(|o| o.base).ok_or(Stop::failure(wild_kind(a)))?
            }
            None => match state.pointers.get(&(address, bytes)) {
                Some(&base) => base,
                None => self
                    .object_by_range(address, bytes)
                    .or_else(|| self.object_by_base(state, lane, effects, address, bytes))
                    .ok_or(Stop::Decide(Subject::Pointer { address, bytes }))?,
            },
        };
        if self.is_dead(state, object) {
            return Err(Stop::failure(FailureKind::UseAfterFree));
        }
        self.register_object(object);
        let term = match state.constant(&self.forest.terms, address) {
            Some(a) => self.forest.terms.constant(64, a),
            None => {
                self.keep_among_indices(state, lane, effects, (object, address), bytes)?;
                address
            }
        };
        Ok(Address { object, term })
    }

    /// Whether the thread knows that the object is gone: by its own doing, or from the beginning.
    pub fn is_dead(&self, state: &State, object: u64) -> bool {
        state.dead.contains(&object)
            || (self.scene.is_some() && self.book.borrow().object(object).is_some_and(|o| self.is_long_gone(&o)))
    }

    /// The object that an address is in whatever its symbols are.
    fn object_by_range(&self, address: Term, bytes: u64) -> Option<u64> {
        let (low, high) = self.forest.terms.range(address);
        let book = self.book.borrow();
        book.find(low).filter(|o| o.contains(low, bytes) && o.contains(high, bytes)).map(|o| o.base)
    }

    /// The addresses that an access can touch: `(first, bytes)`.
    fn extent(&self, address: Address, bytes: u64) -> (u64, u64) {
        let book = self.book.borrow();
        let object = book.object(address.object).expect("resolved addresses are in objects");
        let (low, high) = self.forest.terms.range(address.term);
        let (low, high) = (low.max(object.base), high.min(object.base + object.size - bytes));
        (low, high - low + bytes)
    }

    pub fn register_object(&mut self, base: u64) {
        if self.forest.objects.contains_key(&base) {
            return;
        }
        let info = self.book.borrow().object(base).expect("resolved addresses are in objects");
        let contents = self.initial_contents(&info);
        self.forest.objects.insert(base, Object::new(info.size, contents));
    }

    fn initial_contents(&self, info: &ObjectInfo) -> Contents {
        if let Some(contents) = self.scene.as_ref().and_then(|scene| scene.contents(info.base)) {
            return contents;
        }
        match &info.origin {
            ObjectOrigin::Global(g) => Contents::Bytes(self.program.globals[g.index()].init.clone()),
            ObjectOrigin::Allocation(AllocationName { kind: AllocationKind::ThreadLocal(g), .. }) => {
                Contents::Bytes(self.program.globals[g.index()].init.clone())
            }
            ObjectOrigin::Allocation(a) => match &self.program.function(a.function).code[a.pc.index()] {
                Inst::Call { callee: Callee::Builtin(Builtin::Calloc), .. } => Contents::Zero,
                _ => Contents::Undefined,
            },
        }
    }

    /// Loads `size` bytes; the result has `8 * size` bits.
    pub fn load(
        &mut self,
        state: &mut State,
        lane: &mut Lane,
        effects: &mut Effects,
        address: Address,
        size: u8,
        order: Option<Ordering>,
    ) -> Term {
        if !self.note_access(state, address, size, false) {
            return self.private_bytes(lane, address, size);
        }
        let value = self.read_symbol(state, effects.site, 8 * size);
        effects.emit(state, lane.guard, EventKind::Read { address, size, value, order });
        value
    }

    /// What is read here. On all paths of a thread on which this is the nth read at this place it is the same symbol: they
    /// exclude each other, and what they compute from it is then the same too.
    pub fn read_symbol(&mut self, state: &mut State, site: Site, width: Width) -> Term {
        let count = state.reads.entry((site.function, site.pc)).or_default();
        let (nth, since) = (*count, state.since);
        let read = ReadName { thread: state.thread.clone(), function: site.function, pc: site.pc, nth, since, width };
        *count += 1;
        *self.read_symbols.entry(read).or_insert_with(|| self.forest.terms.symbol(width))
    }

    /// Stores `size` bytes of a value that has `8 * size` bits.
    #[expect(clippy::too_many_arguments)]
    pub fn store(
        &mut self,
        state: &State,
        lane: &mut Lane,
        effects: &mut Effects,
        address: Address,
        size: u8,
        value: Term,
        order: Option<Ordering>,
    ) {
        if self.note_access(state, address, size, true) {
            effects.emit(state, lane.guard, EventKind::Write { address, size, value, order });
            if order == Some(Ordering::SeqCst) {
                effects.emit(state, lane.guard, EventKind::Drain);
            }
        } else if order == Some(Ordering::SeqCst) {
            self.drain(state, lane, effects);
        }
        self.remember(state, lane, address, size, value);
    }

    /// The thread empties its store buffer, by something that is no event in itself.
    pub fn drain(&mut self, state: &State, lane: &Lane, effects: &mut Effects) {
        if self.options.weak {
            effects.emit(state, lane.guard, EventKind::Drain);
        }
    }

    /// Remembers who touches what, and says whether the access is an event.
    pub fn note_access(&mut self, state: &State, address: Address, size: u8, write: bool) -> bool {
        let thread = &state.thread;
        let bytes = size as u64;
        let early = self.is_early(state);
        match self.forest.terms.as_const(address.term) {
            Some(a) if early && write => {
                self.sharing.note_early_write(a, bytes);
                self.sharing.early_write_is_event(thread, a, bytes)
            }
            Some(_) if early => false,
            Some(a) if write => {
                self.sharing.note_write(thread, a, bytes);
                self.sharing.write_is_event(thread, a, bytes)
            }
            Some(a) => {
                self.sharing.note_read(thread, a, bytes);
                self.sharing.read_is_event(thread, a, bytes)
            }
            None => {
                let indexed = &self.forest.objects[&address.object].indexed;
                if indexed.is_empty() {
                    let (first, span) = self.extent(address, bytes);
                    self.sharing.note_unknown(first, span);
                }
                indexed.iter().for_each(|&(first, size)| self.sharing.note_unknown(first, size.into()));
                true
            }
        }
    }

    pub fn private_bytes(&mut self, lane: &Lane, address: Address, size: u8) -> Term {
        let first = self.forest.terms.as_const(address.term).expect("private accesses have constant addresses");
        let bytes: Vec<Term> = (0..size as u64).map(|i| self.private_byte(lane, address.object, first + i)).collect();
        let low = bytes[0];
        bytes[1..].iter().fold(low, |low, &high| self.forest.terms.concat(high, low))
    }

    fn private_byte(&mut self, lane: &Lane, object: u64, address: u64) -> Term {
        match lane.memory.get(&address) {
            Some(&byte) => byte,
            None => match self.settled.get(&address) {
                Some(&byte) => byte,
                None => self.untouched_byte(object, address),
            },
        }
    }

    /// A byte of an object before anything was written to it.
    pub fn untouched_byte(&mut self, object: u64, address: u64) -> Term {
        match self.forest.objects[&object].contents.byte((address - object) as usize) {
            Some(byte) => self.forest.terms.constant(8, byte as u64),
            None => self.forest.undefined(8),
        }
    }

    /// Keeps what the thread itself sees there from now on, if nobody else writes to it.
    pub fn remember(&mut self, state: &State, lane: &mut Lane, address: Address, size: u8, value: Term) {
        let Some(first) = self.forest.terms.as_const(address.term) else { return };
        if !self.is_early(state) && self.sharing.read_is_event(&state.thread, first, size as u64) {
            return;
        }
        let memory = Rc::make_mut(&mut lane.memory);
        for i in 0..size {
            memory.insert(first + i as u64, self.forest.terms.extract(value, 8 * i, 8));
        }
    }

    /// A new stack or heap object, at the address that its name has.
    pub fn allocate(&mut self, state: &mut State, site: Site, size: u64, align: u64, kind: AllocationKind) -> u64 {
        let count = state.allocations.entry((site.function, site.pc)).or_default();
        let name = AllocationName {
            thread: state.thread.clone(),
            function: site.function,
            pc: site.pc,
            nth: *count,
            size,
            align,
            kind,
        };
        *count += 1;
        let base = self.book.borrow_mut().allocate(name);
        self.register_object(base);
        base
    }

    /// The object's life ends here, which counts as writing to all of it. Says whether that is an event.
    pub fn end_of_life(&mut self, state: &mut State, object: u64) -> bool {
        state.dead.insert(object);
        let size = self.book.borrow().object(object).map_or(0, |o| o.size);
        if self.is_early(state) {
            self.sharing.note_early_write(object, size);
            return self.sharing.early_write_is_event(&state.thread, object, size);
        }
        self.sharing.note_write(&state.thread, object, size);
        self.sharing.write_is_event(&state.thread, object, size)
    }

    /// A value as the program computes with it, from or to the bits that memory holds.
    pub fn resize(&mut self, value: Term, width: Width) -> Term {
        let from = self.forest.terms.width(value);
        match from.cmp(&width) {
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Greater => self.forest.terms.extract(value, 0, width),
            std::cmp::Ordering::Less => self.forest.terms.cast(ordain_expr::op::CastOp::ZExt, width, value),
        }
    }
}
