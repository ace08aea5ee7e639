//! What the threads of a machine share: memory, mutexes, output, and what is known about the program.

use crate::config::{Config, Interpreter, RaceMode};
use crate::decode::Codes;
use crate::inputs::Inputs;
use crate::log::Executed;
use crate::memory::{Memory, Object, ObjectKind, Undefined, Unmapped};
use crate::races::Races;
use crate::shadow::Site;
use crate::stop::Stop;
use crate::system::System;
use crate::thread::{Frame, Thread, ThreadId};
use crate::trail::Natives;
use crate::watch::Watch;
use ordain_ir::facts::Facts;
use ordain_ir::program::{FuncId, LocId, Location, Operand, Pc, Program};
use ordain_model::answers::Answer;
use ordain_model::failure::{self, FailureKind, Place};
use ordain_model::memory::{AddressBook, AllocationKind, AllocationName, AllocationPlace, ObjectInfo, ObjectOrigin};
use ordain_model::names::ThreadName;
use ordain_model::witness::{InputValue, MemoryModel};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Addresses below this are null pointers with an offset.
pub(crate) const NULL_PAGE_BYTES: u64 = 4096;

/// What a stack or heap object may have at most: more is taken for a wrong size.
pub(crate) const LARGEST_OBJECT_BYTES: u64 = 1 << 32;

/// How many calls of a function have stack objects of their own, where they are reused: a pointer to one that is gone is
/// noticed for so long.
const STACK_OBJECTS_KEPT: usize = 64;

#[derive(Clone)]
pub(crate) struct World<'p> {
    pub program: &'p Program,
    pub facts: &'p Facts,
    pub config: Config,
    pub functions: Rc<FxHashMap<u64, FuncId>>,
    pub codes: Rc<Codes<'p>>,
    /// Of all threads so far.
    pub names: Rc<Vec<ThreadName>>,
    pub book: Rc<RefCell<AddressBook>>,
    pub memory: Memory,
    /// The owners of the mutexes that are locked.
    pub mutexes: BTreeMap<u64, ThreadId>,
    /// Who waits for which condition, in the order of arrival.
    pub conditions: BTreeMap<u64, Vec<ThreadId>>,
    /// What the scheduler decides where the next point leaves it a choice.
    pub outcome: u32,
    /// The thread in an atomic section, and how deep it is in such sections.
    pub atomic: Option<(ThreadId, u32)>,
    /// How often memory has changed, for awaits.
    pub changes: u64,
    /// How many instructions have been executed.
    pub instructions: u64,
    pub races: Races,
    pub inputs: Inputs,
    pub consumed: Vec<InputValue>,
    pub output: Vec<u8>,
    pub errors: Vec<u8>,
    pub log: Vec<Executed>,
    pub system: Rc<System>,
    pub watch: Option<Rc<Watch>>,
    /// How system calls were answered, if anybody wants to know; `None` also if that cannot be told.
    pub answered: Option<BTreeMap<ThreadName, Vec<Answer>>>,
    /// If threads leave a trail: what is not on it.
    pub natives: Option<Rc<Natives>>,
}

impl<'p> World<'p> {
    pub fn new(program: &'p Program, facts: &'p Facts, config: Config, book: Rc<RefCell<AddressBook>>) -> Self {
        let mut memory = Memory::default();
        for global in &program.globals {
            let kind = if global.constant { ObjectKind::Constant } else { ObjectKind::Global };
            memory.insert(global.address, Object::defined(kind, global.init.clone()));
        }
        let functions = program.functions.iter().enumerate().map(|(i, f)| (f.address, FuncId(i as u32))).collect();
        World {
            program,
            facts,
            config,
            functions: Rc::new(functions),
            codes: Rc::new(Codes::new(program, facts)),
            names: Rc::default(),
            book,
            memory,
            mutexes: BTreeMap::new(),
            conditions: BTreeMap::new(),
            outcome: 0,
            atomic: None,
            changes: 0,
            instructions: 0,
            races: Races::new(config.races),
            inputs: Inputs::zero(),
            consumed: Vec::new(),
            output: Vec::new(),
            errors: Vec::new(),
            log: Vec::new(),
            system: Rc::new(System::new()),
            watch: None,
            answered: None,
            natives: None,
        }
    }

    /// Whether the hot loop may be used: it keeps no records.
    pub fn is_hot(&self) -> bool {
        let kept = self.config.record || self.config.branches || self.watch.is_some() || self.natives.is_some();
        self.config.interpreter == Interpreter::Fast && !kept
    }

    /// An instruction is executed: tells whoever watches.
    #[inline]
    pub fn cover(&self, function: FuncId, pc: Pc) {
        if let Some(watch) = &self.watch {
            watch.cover(function, pc);
        }
    }

    pub fn is_interrupted(&self) -> bool {
        self.watch.as_ref().is_some_and(|watch| watch.is_interrupted())
    }

    /// Whether the hot loop may execute plain accesses to memory.
    pub fn is_plain(&self) -> bool {
        let races = self.names.len() == 1 || self.config.races != RaceMode::Full;
        self.is_hot() && self.config.memory == MemoryModel::Sc && races
    }

    /// Whether accesses are checked for races now. What happens before there is a second thread happens before all that
    /// any other thread does.
    pub fn looks_for_races(&self) -> bool {
        self.config.races != RaceMode::Off && self.names.len() > 1
    }

    /// What was recorded as the answer to the thread's next system call.
    pub fn next_answer(&self, thread: &Thread) -> Option<&Answer> {
        self.inputs.answers.get(&thread.name, thread.answers)
    }

    /// Where in the user's code the thread is.
    pub fn user_site(&self, thread: &Thread) -> Site {
        let (function, pc) = self.user_frame(thread).unwrap_or((FuncId(0), Pc(0)));
        self.codes.first_site(function) + pc.0
    }

    /// Changes of memory that were not `thread`'s own.
    pub fn changes_by_others(&self, thread: &Thread) -> u64 {
        self.changes - thread.own_changes
    }

    pub fn note_change(&mut self, thread: &mut Thread) {
        self.changes += 1;
        thread.own_changes += 1;
    }

    /// Puts a new object at the address that its name gives it.
    pub fn allocate(&mut self, thread: &mut Thread, size: u64, align: u64, kind: AllocationKind) -> Result<u64, Stop> {
        if size > LARGEST_OBJECT_BYTES {
            return Err(Stop::Unsupported(format!("an object of {size} bytes")));
        }
        let base = self.new_address(thread, size, align, kind);
        let object_kind = match kind {
            AllocationKind::Stack | AllocationKind::ThreadLocal(_) => ObjectKind::Stack,
            AllocationKind::Heap => ObjectKind::Heap,
        };
        self.memory.insert(base, Object::undefined(object_kind, size as usize));
        Ok(base)
    }

    /// The address that the next object at this place in the program has.
    fn new_address(&mut self, thread: &mut Thread, size: u64, align: u64, kind: AllocationKind) -> u64 {
        let Thread { allocations, name, frames, .. } = thread;
        let &Frame { function, pc, .. } = frames.last().expect("a thread that has not ended is in some function");
        let (memory, mut book) = (&self.memory, self.book.borrow_mut());
        let here = allocations.entry((function, pc)).or_default();
        let place = match here.place {
            Some((place, s, a)) if (s, a) == (size, align) => place,
            _ => book.place(AllocationPlace { thread: name.clone(), function, pc, size, align, kind }),
        };
        if here.place.is_none_or(|(known, ..)| known != place) {
            here.place = Some((place, size, align));
            here.bases.clear();
        }
        let nth = here.count;
        here.count += 1;
        if kind == AllocationKind::Heap || !self.config.reuse_stack {
            return book.allocate_at(place, nth);
        }
        let at = nth as usize % STACK_OBJECTS_KEPT;
        match here.bases.get(at) {
            Some(&base) if memory.object(base).is_none() => base,
            Some(_) => book.allocate_at(place, nth),
            None => {
                let base = book.allocate_at(place, nth);
                here.bases.push(base);
                base
            }
        }
    }

    /// What `thread` sees at `address`.
    #[inline]
    pub fn load(&mut self, thread: &Thread, address: u64, size: u8) -> Result<(u64, Undefined), Unmapped> {
        let (value, undefined) = self.memory.load(address, size)?;
        if thread.buffer.is_empty() {
            return Ok((value, undefined));
        }
        Ok(thread.buffer.forward(address, size, value, undefined))
    }

    /// The function that a function pointer points to.
    pub fn callee(&self, address: u64) -> Result<FuncId, Stop> {
        if address < NULL_PAGE_BYTES {
            return Err(Stop::Failure(FailureKind::Null, "call of a null function pointer".to_owned()));
        }
        if let Some(&function) = self.functions.get(&address) {
            return Ok(function);
        }
        // Declared functions have their addresses after those of the defined ones.
        if self.program.functions.iter().any(|f| f.address < address) && self.book.borrow().find(address).is_none() {
            return Err(Stop::Unsupported(format!("a call through a pointer to an external function ({address:#x})")));
        }
        Err(Stop::Failure(FailureKind::Bounds, format!("call of {address:#x}, which is no function")))
    }

    /// The text at `address`: up to its end, or `limit` characters.
    pub fn text(&self, thread: &Thread, address: u64, limit: usize) -> Result<Vec<u8>, Stop> {
        let mut text = Vec::new();
        while text.len() < limit {
            let at = address + text.len() as u64;
            let (byte, undefined) = self.memory.byte(at).map_err(|_| self.access_failure("read", at, 1))?;
            let (value, undefined) = thread.buffer.forward(at, 1, byte as u64, undefined as u8);
            if undefined != 0 {
                return Err(Stop::uninitialised(&format!("a character of the text in {}", self.describe(address))));
            }
            if value == 0 {
                break;
            }
            text.push(value as u8);
        }
        Ok(text)
    }

    /// Why `size` bytes at `address` cannot be accessed.
    pub fn access_failure(&self, access: &str, address: u64, size: u64) -> Stop {
        let bytes = if size == 1 { "1 byte".to_owned() } else { format!("{size} bytes") };
        if address < NULL_PAGE_BYTES {
            return Stop::Failure(
                FailureKind::Null,
                format!("{access} of {bytes} through a null pointer ({address:#x})"),
            );
        }
        let book = self.book.borrow();
        let object = book.at_or_before(address);
        if let Some(object) = &object
            && object.contains(address, size)
            && self.memory.object(object.base).is_none()
        {
            let state = self.gone(object);
            let message = format!("{access} of {bytes} at {}, {state}", self.describe_in(object, address));
            return Stop::Failure(FailureKind::UseAfterFree, message);
        }
        let place = match &object {
            Some(object) => format!("{} ({} bytes)", self.describe_in(object, address), object.size),
            None => format!("{address:#x}, where nothing is"),
        };
        Stop::Failure(FailureKind::Bounds, format!("{access} of {bytes} out of bounds, at {place}"))
    }

    fn gone(&self, object: &ObjectInfo) -> &'static str {
        match &object.origin {
            ObjectOrigin::Allocation(name) => match name.kind {
                AllocationKind::Stack => "whose function has returned",
                AllocationKind::ThreadLocal(_) => "whose thread has ended",
                AllocationKind::Heap => "which has been freed",
            },
            _ => "which has been freed",
        }
    }

    /// `address` in words.
    pub fn describe(&self, address: u64) -> String {
        let book = self.book.borrow();
        match book.find(address) {
            Some(object) => self.describe_in(&object, address),
            None => format!("address {address:#x}"),
        }
    }

    fn describe_in(&self, object: &ObjectInfo, address: u64) -> String {
        let what = match &object.origin {
            ObjectOrigin::Global(id) => format!("'{}'", self.program.globals[id.index()].name),
            ObjectOrigin::Allocation(name) => {
                let place = self.place_of(self.program.location(name.function, name.pc));
                match name.kind {
                    AllocationKind::Heap => format!("heap object allocated at {place}"),
                    AllocationKind::ThreadLocal(id) => {
                        format!("'{}' of thread {}", self.program.globals[id.index()].name, name.thread)
                    }
                    AllocationKind::Stack => match self.variable(name) {
                        Some(variable) => format!("'{variable}'"),
                        None => format!("local variable of {place}"),
                    },
                }
            }
        };
        match address - object.base {
            0 => what,
            offset => format!("{what} + {offset}"),
        }
    }

    fn variable(&self, name: &AllocationName) -> Option<&str> {
        match &self.program.function(name.function).code[name.pc.index()] {
            ordain_ir::program::Inst::Alloca { name: Some(id), .. } => Some(&self.program.names[id.index()]),
            _ => None,
        }
    }

    pub fn place_of(&self, location: Location) -> Place {
        let file = self.program.files.get(location.file as usize).cloned().unwrap_or_default();
        Place { file, line: location.line }
    }

    /// Where in the user's code the thread is: models of library functions are left out.
    pub fn user_frame(&self, thread: &Thread) -> Option<(FuncId, Pc)> {
        let known = |f: FuncId, pc: Pc| self.program.function(f).locations[pc.index()] != LocId(0);
        let in_user_code = |f: &&Frame| !self.program.function(f.function).model && known(f.function, f.pc);
        let frame = thread.frames.iter().rev().find(in_user_code).or(thread.frames.last())?;
        Some((frame.function, frame.pc))
    }

    pub fn place(&self, thread: &Thread) -> Place {
        match self.user_frame(thread) {
            Some((function, pc)) => self.place_of(self.program.location(function, pc)),
            None => Place { file: String::new(), line: 0 },
        }
    }

    /// The user's functions that the thread is in, innermost first.
    pub fn stack(&self, thread: &Thread) -> Vec<failure::Frame> {
        let frame = |f: &Frame| {
            let function = self.program.function(f.function);
            let place = self.place_of(self.program.location(f.function, f.pc));
            let own = !function.model && f.function != self.program.start;
            own.then(|| failure::Frame { function: function.name.clone(), place })
        };
        thread.frames.iter().rev().filter_map(frame).collect()
    }

    /// The address an instruction works on; `what` says what for.
    pub fn address(&self, thread: &Thread, operand: &Operand, what: &str) -> Result<u64, Stop> {
        let (address, undefined) = thread.operand(thread.top().base, operand);
        if undefined != 0 {
            return Err(Stop::uninitialised(what));
        }
        Ok(address)
    }
}
