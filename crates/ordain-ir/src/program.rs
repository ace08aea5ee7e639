//! `Program`: a whole program as compact register code.
//!
//! A function is a flat list of instructions over an unbounded set of registers, cut into basic blocks. Phi nodes are
//! gone (edges that need copies have a block of their own), aggregates are split into one register per leaf, vectors into
//! one per element, what is wider than 64 bits into two registers; constant addresses are numbers: every global has its
//! final address. What is left of C here are loads, stores, operations on integers and floating-point numbers, and calls
//! of functions or `Builtin`s.
//!
//! *Points.* An instruction that other threads could notice, or that could notice other threads, is a point: loads,
//! stores, atomics and fences whose memory may be shared, and most builtins. Points are what schedules count, in the
//! machine and natively, so which instructions are points is decided once, on the bitcode.

pub use crate::formatting::{Formatter, Sink};
pub use crate::system::{Amount, SystemCall, Writes};
use ordain_expr::float::math::MathCall;
use ordain_expr::float::wide::WideOp;
use ordain_expr::float::{FloatCast, FloatOp, FloatPred, Format};
use ordain_expr::op::{BinOp, CastOp, Pred, Width};
use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
        pub struct $name(pub u32);
        impl $name {
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    FuncId,
    /// A basic block of a function.
    BlockId,
    /// Index of an instruction in `Function::code`.
    Pc,
    Reg,
    GlobalId,
    /// Index into `Program::locations`.
    LocId,
    /// Index into `Program::names`.
    NameId,
}

/// Identifies a build: a hash of the canonical bitcode. Witnesses and logs carry it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BuildHash(pub [u8; 32]);

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Program {
    pub build: BuildHash,
    pub functions: Vec<Function>,
    pub globals: Vec<Global>,
    /// Constants that were computed from the address of a global or a function and lie elsewhere, with that address: what they
    /// belong to cannot be told from them.
    pub beyond: Vec<(u64, u64)>,
    /// Where the main thread starts: a wrapper that calls the user's `main` and then `Builtin::Exit` with its result.
    pub start: FuncId,
    pub files: Vec<String>,
    /// Source locations; entry 0 is "unknown".
    pub locations: Vec<Location>,
    pub names: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Location {
    /// Index into `Program::files`.
    pub file: u32,
    /// 0 if unknown.
    pub line: u32,
    pub column: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Global {
    pub name: String,
    pub address: u64,
    /// Initial bytes; its length is the global's size.
    pub init: Vec<u8>,
    pub constant: bool,
    pub location: LocId,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Function {
    pub name: String,
    /// The address a function pointer to it has.
    pub address: u64,
    pub params: Vec<Reg>,
    /// Width of every register.
    pub registers: Vec<Width>,
    pub code: Vec<Inst>,
    /// Source location of every instruction.
    pub locations: Vec<LocId>,
    pub blocks: Vec<Block>,
    /// Comes from Ordain's own models of library functions, not from the user's program.
    pub model: bool,
    pub location: LocId,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Block {
    pub start: Pc,
    /// One past the terminator.
    pub end: Pc,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Operand {
    Reg(Reg),
    /// Masked to the width of its use.
    Imm(u64),
    /// A value the program never defined (LLVM's undef and poison): using it in a decision is an error.
    Undefined,
}

impl Operand {
    pub fn as_imm(self) -> Option<u64> {
        match self {
            Operand::Imm(value) => Some(value),
            _ => None,
        }
    }
}

/// C11 memory orders. `None` in an instruction means a plain access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Ordering {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum RmwOp {
    Xchg,
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
    Max,
    Min,
    UMax,
    UMin,
}

/// `size` of memory accesses is in bytes: 1, 2, 4 or 8. The front end splits what is larger.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Inst {
    Bin {
        op: BinOp,
        width: Width,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    Cmp {
        pred: Pred,
        width: Width,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    Cast {
        op: CastOp,
        from: Width,
        to: Width,
        dst: Reg,
        a: Operand,
    },
    Select {
        dst: Reg,
        cond: Operand,
        then: Operand,
        other: Operand,
    },
    Copy {
        dst: Reg,
        src: Operand,
    },
    /// A copy that is defined, whatever its source was.
    Freeze {
        dst: Reg,
        src: Operand,
    },
    /// Floating-point numbers are their bits. Negation, absolute values and the like are operations on these.
    FloatBin {
        op: FloatOp,
        format: Format,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    FloatCmp {
        pred: FloatPred,
        format: Format,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    FloatCast {
        cast: FloatCast,
        dst: Reg,
        a: Operand,
    },
    /// Reads `size` bytes, keeps the low bits that fit the width of `dst`.
    Load {
        dst: Reg,
        addr: Operand,
        size: u8,
        order: Option<Ordering>,
        point: bool,
    },
    /// Writes `value` (zero-extended to `size` bytes).
    Store {
        value: Operand,
        addr: Operand,
        size: u8,
        order: Option<Ordering>,
        point: bool,
    },
    /// `dst` is the old value.
    Rmw {
        op: RmwOp,
        dst: Reg,
        addr: Operand,
        value: Operand,
        size: u8,
        order: Ordering,
    },
    /// `dst` is the old value, `ok` (width 1) whether `new` was stored. Weak ones never fail spuriously here.
    CmpXchg {
        dst: Reg,
        ok: Reg,
        addr: Operand,
        expected: Operand,
        new: Operand,
        size: u8,
        success: Ordering,
        failure: Ordering,
        weak: bool,
    },
    Fence {
        order: Ordering,
    },
    /// A stack object, fresh each time. `name` is the source variable's, where known.
    Alloca {
        dst: Reg,
        size: Operand,
        align: u32,
        name: Option<NameId>,
        escapes: bool,
    },
    Br {
        to: BlockId,
    },
    CondBr {
        cond: Operand,
        then: BlockId,
        other: BlockId,
    },
    Switch {
        value: Operand,
        width: Width,
        cases: Box<[(u64, BlockId)]>,
        default: BlockId,
    },
    Call {
        callee: Callee,
        args: Box<[Operand]>,
        dsts: Box<[Reg]>,
    },
    Ret {
        values: Box<[Operand]>,
    },
    Unreachable,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Callee {
    Direct(FuncId),
    Indirect(Operand),
    Builtin(Builtin),
    /// An external function without a model, or (then its name is several words) anything else that is not understood:
    /// reaching it is an error that names it.
    Unknown(NameId),
}

/// External functions that the machine itself gives a meaning to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Builtin {
    ThreadCreate,
    ThreadJoin,
    ThreadExit,
    ThreadSelf,
    ThreadEqual,
    ThreadDetach,
    MutexInit,
    MutexDestroy,
    MutexLock,
    MutexTryLock,
    MutexUnlock,
    /// `ordain_cond_enqueue(condition)`: the thread is among those that a signal can wake.
    CondEnqueue,
    /// `ordain_cond_sleep()`: waits until the thread has been woken.
    CondSleep,
    /// `ordain_cond_woken()`: whether it has been.
    CondWoken,
    /// `ordain_cond_leave()`: the thread goes without waiting for a signal; whether one had come.
    CondLeave,
    /// `ordain_cond_signal(condition)`: wakes one of those that wait, any of them.
    CondSignal,
    CondBroadcast,
    /// `ordain_cond_waiters(condition)`: whether anybody waits.
    CondWaiters,
    /// `ordain_expired()`: whether time is up, at the scheduler's discretion.
    Expired,
    /// `ordain_spurious()`: whether to wake without a signal, at the scheduler's discretion.
    Spurious,
    /// `ordain_misuse(text)`: something was used as it must not be.
    Misuse,
    Malloc,
    Calloc,
    Realloc,
    Free,
    /// `exit`: ends the process with a status.
    Exit,
    /// `_exit`, `_Exit`, `quick_exit`.
    ExitNow,
    Abort,
    /// `__assert_fail(expression, file, line, function)`.
    AssertFail,
    /// `reach_error`, `__VERIFIER_error`.
    ReachError,
    /// `ordain_input(pointer, size, name)`, `klee_make_symbolic`.
    InputBytes,
    /// `__VERIFIER_nondet_*()`: the value has the width of the result register.
    InputValue,
    /// `__VERIFIER_assume`, `klee_assume`: executions where it does not hold do not count.
    Assume,
    AtomicBegin,
    AtomicEnd,
    /// `ordain_atomic_begin`, `ordain_atomic_end`: what lies between them is meant to be atomic. Nothing makes it so.
    RegionBegin,
    RegionEnd,
    /// The address of the calling thread's own copy of a thread-local variable, given that of its initial value and its
    /// alignment. Not a function that programs could name.
    ThreadLocal,
    /// `_setjmp`, `__sigsetjmp`
    SetJump,
    /// `longjmp` and its siblings
    LongJump,
    Yield,
    /// `ordain_sys_sleep(nanoseconds)`: time is virtual, so only a yield that returns 0.
    Sleep,
    /// `(alignment, size)`: a heap object, as from `malloc`.
    AlignedAlloc,
    /// `malloc_usable_size`
    UsableSize,
    System(SystemCall),
    /// `printf` and its family.
    Format(Formatter),
    Puts,
    Putchar,
    /// A function of `math.h`, called or by LLVM's intrinsic.
    Math(MathCall),
    /// Floating point that takes two registers: `long double`, 128-bit integers.
    Wide(WideOp),
}

impl Builtin {
    /// Whether a call of it is a point (see the module's head).
    pub fn is_point(self) -> bool {
        use Builtin::*;
        !matches!(
            self,
            ThreadSelf
                | ThreadEqual
                | ThreadLocal
                | SetJump
                | LongJump
                | Assume
                | RegionBegin
                | RegionEnd
                | Yield
                | Sleep
                | MutexInit
                | Math(_)
                | Wide(_)
        )
    }
}

impl Inst {
    /// Whether schedules count this instruction.
    pub fn is_point(&self) -> bool {
        match self {
            Inst::Load { point, .. } | Inst::Store { point, .. } => *point,
            Inst::Rmw { .. } | Inst::CmpXchg { .. } | Inst::Fence { .. } => true,
            Inst::Call { callee: Callee::Builtin(b), .. } => b.is_point(),
            // May trap, and a trap ends the process: other threads can run before it.
            Inst::Bin { op, b, .. } => {
                matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem) && !matches!(b, Operand::Imm(1..))
            }
            _ => false,
        }
    }
}

impl Program {
    pub fn function(&self, f: FuncId) -> &Function {
        &self.functions[f.index()]
    }

    pub fn location(&self, f: FuncId, pc: Pc) -> Location {
        self.locations[self.function(f).locations[pc.index()].index()]
    }

    /// The function whose address is `address`.
    pub fn function_at(&self, address: u64) -> Option<FuncId> {
        self.functions.iter().position(|f| f.address == address).map(|i| FuncId(i as u32))
    }
}
