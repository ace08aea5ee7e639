//! One thread of a machine: its frames and registers, where it stands, and what it has done so far.

use crate::awaits::Arrivals;
use crate::buffer::StoreBuffer;
use crate::clock::Clock;
use crate::log::{Branch, Mark, Marked};
use crate::memory::{ALL_UNDEFINED, Undefined};
use crate::stop::Stop;
use crate::trail::Passed;
use ordain_expr::op::mask;
use ordain_ir::program::{FuncId, Function, Operand, Pc, Reg};
use ordain_model::memory::PlaceId;
use ordain_model::names::ThreadName;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A thread of one run, numbered in the order of creation in that run. Names (`ThreadName`) are what different runs
/// have in common.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct ThreadId(pub u32);

impl ThreadId {
    pub const MAIN: ThreadId = ThreadId(0);
    /// Cells for races have 16 bits for a thread.
    pub(crate) const LAST: ThreadId = ThreadId(u16::MAX as u32);

    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub function: FuncId,
    /// The next instruction; in a caller's frame the call it waits for.
    pub pc: Pc,
    /// Its first register in the thread's register stack.
    pub base: u32,
    /// How many stack objects the thread had when the frame was entered.
    pub stack_objects: u32,
    /// Whether a register of it may be undefined.
    pub undefined: bool,
}

/// A call of `setjmp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JumpTarget {
    /// What the jump buffer holds.
    pub token: u64,
    /// How many frames there are when its own is on top.
    pub frames: usize,
    pub pc: Pc,
}

/// What a thread has allocated at one place in the program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Allocations {
    pub count: u32,
    /// The place as the address book knows it, for the size and alignment that it was used with last.
    pub place: Option<(PlaceId, u64, u64)>,
    /// Addresses of stack objects that may be used again.
    pub bases: Vec<u64>,
}

/// Where a thread stands between two steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Poise {
    /// At a point: the instruction at the top frame's `pc`.
    Point,
    /// At an instruction that is no point but ends the run, which happens when the thread is stepped.
    Trap(Stop),
    /// Its entry function has returned, or it called `pthread_exit`.
    Ended { value: u64, undefined: Undefined },
}

/// A thread that waits for a condition, or has done so and not gone on yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waiting {
    pub condition: u64,
    pub woken: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Thread {
    pub id: ThreadId,
    pub name: ThreadName,
    pub frames: Vec<Frame>,
    /// The calls that led to the top frame, innermost first, while somebody has asked for them.
    callers: Option<Rc<[(FuncId, Pc)]>>,
    pub registers: Vec<u64>,
    /// For every register, which of its bytes are undefined.
    pub undefined: Vec<Undefined>,
    /// Live stack objects, oldest first.
    pub stack_objects: Vec<u64>,
    /// Its copies of thread-local variables, by the addresses of their initial values.
    pub locals: FxHashMap<u64, u64>,
    /// Where its calls of `setjmp` can be returned to, as long as their frames are there.
    pub jumps: Vec<JumpTarget>,
    pub poise: Poise,
    /// Whether it stands at a point that can be blocked.
    pub may_block: bool,
    /// Whether it stands at the call of a builtin: there may be something to decide.
    pub at_call: bool,
    /// How many points it has executed.
    pub points: u64,
    pub children: u32,
    pub inputs: u32,
    /// How many of its system calls have been answered by what was recorded.
    pub answers: u32,
    pub joined: bool,
    pub detached: bool,
    pub waiting: Option<Waiting>,
    pub allocations: FxHashMap<(FuncId, Pc), Allocations>,
    pub buffer: StoreBuffer,
    pub clock: Clock,
    /// Its clock at the last release fence, for later relaxed stores.
    pub release_fence: Clock,
    /// What relaxed loads have seen, for a later acquire fence.
    pub unacquired: Clock,
    pub arrivals: Arrivals,
    /// The branches it took, without failing iterations of awaits; empty if nobody wants to know.
    pub branches: Vec<Branch>,
    /// When it entered and left functions and regions, if anybody wants to know.
    pub marks: Option<Vec<Marked>>,
    /// How many of the changes of memory were this thread's own.
    pub own_changes: u64,
    /// What it has done since somebody asked, if it leaves a trail.
    pub trail: Vec<Passed>,
    /// How many frames it had when it entered a function that runs natively, as long as it is in there.
    pub native_depth: Option<usize>,
}

impl Thread {
    pub fn new(id: ThreadId, name: ThreadName) -> Self {
        let mut clock = Clock::default();
        clock.advance(id);
        Thread {
            id,
            name,
            frames: Vec::new(),
            callers: None,
            registers: Vec::new(),
            undefined: Vec::new(),
            stack_objects: Vec::new(),
            locals: FxHashMap::default(),
            jumps: Vec::new(),
            poise: Poise::Point,
            may_block: false,
            at_call: false,
            points: 0,
            children: 0,
            inputs: 0,
            answers: 0,
            joined: false,
            detached: false,
            waiting: None,
            allocations: FxHashMap::default(),
            buffer: StoreBuffer::default(),
            clock,
            release_fence: Clock::default(),
            unacquired: Clock::default(),
            arrivals: Arrivals::default(),
            branches: Vec::new(),
            marks: None,
            own_changes: 0,
            trail: Vec::new(),
            native_depth: None,
        }
    }

    pub fn has_ended(&self) -> bool {
        matches!(self.poise, Poise::Ended { .. })
    }

    /// Puts a frame for `function` on top, with its parameters still to be set.
    pub fn enter(&mut self, id: FuncId, function: &Function) {
        let base = self.registers.len();
        self.registers.resize(base + function.registers.len(), 0);
        self.undefined.resize(base + function.registers.len(), 0);
        let stack_objects = self.stack_objects.len() as u32;
        self.callers = None;
        self.mark(Mark::Entered(id));
        self.frames.push(Frame { function: id, pc: Pc(0), base: base as u32, stack_objects, undefined: false });
    }

    /// Puts a frame with these values on top.
    #[inline]
    pub fn enter_with(&mut self, id: FuncId, values: &[u64]) {
        let (base, stack_objects) = (self.registers.len() as u32, self.stack_objects.len() as u32);
        self.grow(values);
        self.callers = None;
        self.mark(Mark::Entered(id));
        self.frames.push(Frame { function: id, pc: Pc(0), base, stack_objects, undefined: false });
    }

    /// Gives the top frame more values.
    #[inline]
    pub fn grow(&mut self, values: &[u64]) {
        self.registers.extend_from_slice(values);
        self.undefined.resize(self.registers.len(), 0);
    }

    /// If none of the registers that are still needed is undefined, the others need not be either.
    pub fn forget_dead_registers(&mut self, live: &[Reg]) {
        let Frame { base, undefined, .. } = *self.top();
        if undefined && live.iter().all(|r| self.undefined[base as usize + r.index()] == 0) {
            self.undefined[base as usize..].fill(0);
            self.top_mut().undefined = false;
        }
    }

    #[inline]
    pub fn mark(&mut self, mark: Mark) {
        if let Some(marks) = &mut self.marks {
            marks.push(Marked { points: self.points, mark });
        }
    }

    /// Drops the top frame with its registers; returns it.
    pub fn leave(&mut self) -> Frame {
        self.mark(Mark::Left);
        let frame = self.frames.pop().expect("a thread that has not ended is in some function");
        self.native_depth = self.native_depth.filter(|&depth| depth <= self.frames.len());
        self.callers = None;
        self.registers.truncate(frame.base as usize);
        self.undefined.truncate(frame.base as usize);
        frame
    }

    pub fn callers(&mut self) -> Rc<[(FuncId, Pc)]> {
        let frames = &self.frames;
        let collect = || frames.iter().rev().skip(1).map(|f| (f.function, f.pc)).collect();
        self.callers.get_or_insert_with(collect).clone()
    }

    pub fn top(&self) -> &Frame {
        self.frames.last().expect("a thread that has not ended is in some function")
    }

    pub fn top_mut(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a thread that has not ended is in some function")
    }

    #[inline]
    pub fn operand(&self, base: u32, operand: &Operand) -> (u64, Undefined) {
        match *operand {
            Operand::Reg(r) => {
                let at = base as usize + r.index();
                (self.registers[at], self.undefined[at])
            }
            Operand::Imm(value) => (value, 0),
            Operand::Undefined => (0, ALL_UNDEFINED),
        }
    }

    #[inline]
    pub fn set(&mut self, base: u32, register: Reg, value: u64, undefined: Undefined) {
        let at = base as usize + register.index();
        self.registers[at] = value;
        self.undefined[at] = undefined;
        if undefined != 0 {
            self.note_undefined(base);
        }
    }

    #[cold]
    fn note_undefined(&mut self, base: u32) {
        if let Some(frame) = self.frames.iter_mut().rev().find(|frame| frame.base == base) {
            frame.undefined = true;
        }
    }

    /// Sets a register of the top frame, cut to its width.
    pub fn set_result(&mut self, function: &Function, register: Reg, value: u64, undefined: Undefined) {
        let base = self.top().base;
        self.set(base, register, value & mask(function.registers[register.index()]), undefined);
    }
}
