//! What a thread is about to do: the point it stands at, with its operands evaluated.

use crate::log::Touched;
use crate::memory::Undefined;
use crate::stop::Stop;
use crate::system::touched;
use crate::thread::{Poise, Thread, ThreadId};
use crate::world::World;
use ordain_expr::op::mask;
use ordain_ir::program::{Builtin, Callee, FuncId, Inst, Operand, Ordering, Pc, RmwOp};
use ordain_model::failure::FailureKind;

/// Whether a thread can be stepped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    Ready,
    Blocked(Blocker),
    /// In a loop that does the same again until memory changes. It may be stepped, to no avail.
    Awaiting,
    Ended,
}

/// What a blocked thread waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blocker {
    Mutex {
        address: u64,
        owner: ThreadId,
    },
    /// A signal.
    Condition {
        address: u64,
    },
    /// The end of a thread.
    Join(ThreadId),
    /// The end of the atomic section that this thread is in.
    Atomic(ThreadId),
}

/// What a scheduler decides for a thread. The answer is no unless somebody says otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decides {
    /// Whether time is up.
    Expired,
    /// Whether the thread wakes without a signal.
    Spurious,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pending {
    pub function: FuncId,
    pub pc: Pc,
    pub kind: PendingKind,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PendingKind {
    Load {
        address: u64,
        size: u8,
        order: Option<Ordering>,
    },
    Store {
        address: u64,
        size: u8,
        value: u64,
        order: Option<Ordering>,
    },
    Rmw {
        op: RmwOp,
        address: u64,
        size: u8,
        value: u64,
        order: Ordering,
    },
    CmpXchg {
        address: u64,
        size: u8,
        expected: u64,
        new: u64,
        success: Ordering,
        failure: Ordering,
    },
    Fence(Ordering),
    Lock {
        address: u64,
    },
    TryLock {
        address: u64,
    },
    Unlock {
        address: u64,
    },
    DestroyMutex {
        address: u64,
    },
    /// A decision of the scheduler.
    Choose {
        choice: Decides,
    },
    /// What the configuration has decided already.
    Decided,
    /// Waits for a signal.
    Sleep {
        condition: u64,
    },
    /// Anything else about a condition.
    Condition,
    /// Where the new thread's id goes.
    Create {
        handle: u64,
    },
    /// No target if there is no thread with that id; where its result goes is null if nobody wants it.
    Join {
        target: Option<ThreadId>,
        result: u64,
    },
    Detach {
        target: Option<ThreadId>,
    },
    ThreadExit,
    /// `address` is where the bytes go; `None` if they are the call's result.
    Input {
        size: u64,
        nth: u32,
        address: Option<u64>,
    },
    Malloc {
        size: u64,
    },
    Realloc {
        address: u64,
        size: u64,
    },
    Free {
        address: u64,
    },
    /// Of a section that is in no other.
    AtomicBegin,
    AtomicEnd,
    /// The beginning or the end of a section inside another.
    AtomicInside,
    Output,
    /// What it writes is known only if it was recorded how it is answered.
    System {
        touched: Touched,
    },
    Divide {
        divisor: u64,
    },
    Exit {
        status: i32,
    },
    /// Stepping the thread fails, whatever memory holds.
    Fail(FailureKind),
    /// Stepping the thread ends the run: it does not count.
    AssumeViolated,
    /// Stepping the thread ends the run: the machine does not know what to do.
    Unsupported,
}

pub(crate) fn pending(world: &World<'_>, threads: &[std::rc::Rc<Thread>], thread: &Thread) -> Option<Pending> {
    if thread.has_ended() {
        return None;
    }
    let frame = *thread.top();
    let kind = match &thread.poise {
        Poise::Trap(stop) => of_stop(stop),
        _ => {
            let inst = &world.program.function(frame.function).code[frame.pc.index()];
            let reader = Reader { world, threads, thread };
            reader.kind(inst).unwrap_or(PendingKind::Fail(FailureKind::Uninitialised))
        }
    };
    Some(Pending { function: frame.function, pc: frame.pc, kind })
}

fn of_stop(stop: &Stop) -> PendingKind {
    match stop {
        Stop::Failure(kind, _) => PendingKind::Fail(*kind),
        Stop::Exit(status) => PendingKind::Exit { status: *status },
        Stop::AssumeViolated => PendingKind::AssumeViolated,
        Stop::Unsupported(_) => PendingKind::Unsupported,
    }
}

struct Reader<'a, 'p> {
    world: &'a World<'p>,
    threads: &'a [std::rc::Rc<Thread>],
    thread: &'a Thread,
}

impl Reader<'_, '_> {
    fn raw(&self, operand: &Operand) -> (u64, Undefined) {
        self.thread.operand(self.thread.top().base, operand)
    }

    fn sized(&self, operand: &Operand, size: u8) -> u64 {
        self.raw(operand).0 & mask(size * 8)
    }

    /// A value that must be defined.
    fn sure(&self, operand: &Operand) -> Option<u64> {
        let (value, undefined) = self.raw(operand);
        (undefined == 0).then_some(value)
    }

    /// `None` if an operand that must be defined is not.
    fn kind(&self, inst: &Inst) -> Option<PendingKind> {
        Some(match inst {
            Inst::Load { addr, size, order, .. } => {
                PendingKind::Load { address: self.sure(addr)?, size: *size, order: *order }
            }
            Inst::Store { value, addr, size, order, .. } => PendingKind::Store {
                address: self.sure(addr)?,
                size: *size,
                value: self.sized(value, *size),
                order: *order,
            },
            Inst::Rmw { op, addr, value, size, order, .. } => PendingKind::Rmw {
                op: *op,
                address: self.sure(addr)?,
                size: *size,
                value: self.sized(value, *size),
                order: *order,
            },
            Inst::CmpXchg { addr, expected, new, size, success, failure, .. } => PendingKind::CmpXchg {
                address: self.sure(addr)?,
                size: *size,
                expected: self.sized(expected, *size),
                new: self.sized(new, *size),
                success: *success,
                failure: *failure,
            },
            Inst::Fence { order } => PendingKind::Fence(*order),
            Inst::Bin { width, b, .. } => PendingKind::Divide { divisor: self.sure(b)? & mask(*width) },
            Inst::Call { callee: Callee::Builtin(builtin), args, dsts } => {
                let result_width = dsts.first().map(|r| {
                    let function = self.world.program.function(self.thread.top().function);
                    function.registers[r.index()]
                });
                return self.builtin(*builtin, args, result_width);
            }
            _ => PendingKind::Unsupported,
        })
    }

    fn builtin(&self, builtin: Builtin, args: &[Operand], result_width: Option<u8>) -> Option<PendingKind> {
        let argument = |n: usize| args.get(n).and_then(|a| self.sure(a));
        let thread_named = |handle: u64| {
            let found = self.threads.iter().find(|t| t.name.handle() == handle);
            found.map(|t| t.id)
        };
        Some(match builtin {
            Builtin::MutexLock => PendingKind::Lock { address: argument(0)? },
            Builtin::MutexTryLock => PendingKind::TryLock { address: argument(0)? },
            Builtin::MutexUnlock => PendingKind::Unlock { address: argument(0)? },
            Builtin::MutexDestroy => PendingKind::DestroyMutex { address: argument(0)? },
            Builtin::CondSleep => PendingKind::Sleep { condition: self.thread.waiting?.condition },
            Builtin::CondEnqueue
            | Builtin::CondWoken
            | Builtin::CondLeave
            | Builtin::CondSignal
            | Builtin::CondBroadcast
            | Builtin::CondWaiters => PendingKind::Condition,
            Builtin::Expired => PendingKind::Choose { choice: Decides::Expired },
            Builtin::Spurious if !self.world.config.spurious => PendingKind::Decided,
            Builtin::Spurious => PendingKind::Choose { choice: Decides::Spurious },
            Builtin::Misuse => PendingKind::Fail(FailureKind::LockMisuse),
            Builtin::ThreadCreate => PendingKind::Create { handle: argument(0)? },
            Builtin::ThreadJoin => PendingKind::Join { target: thread_named(argument(0)?), result: argument(1)? },
            Builtin::ThreadDetach => PendingKind::Detach { target: thread_named(argument(0)?) },
            Builtin::ThreadExit => PendingKind::ThreadExit,
            Builtin::InputValue => PendingKind::Input {
                size: result_width.unwrap_or(32).div_ceil(8) as u64,
                nth: self.thread.inputs,
                address: None,
            },
            Builtin::InputBytes => {
                PendingKind::Input { size: argument(1)?, nth: self.thread.inputs, address: Some(argument(0)?) }
            }
            Builtin::Malloc => PendingKind::Malloc { size: argument(0)? },
            Builtin::AlignedAlloc => PendingKind::Malloc { size: argument(1)? },
            Builtin::Calloc => PendingKind::Malloc { size: argument(0)?.saturating_mul(argument(1)?) },
            Builtin::Realloc => PendingKind::Realloc { address: argument(0)?, size: argument(1)? },
            Builtin::Free => PendingKind::Free { address: argument(0)? },
            Builtin::AtomicBegin if self.world.atomic.is_some() => PendingKind::AtomicInside,
            Builtin::AtomicBegin => PendingKind::AtomicBegin,
            Builtin::AtomicEnd if self.world.atomic.is_some_and(|(_, depth)| depth > 1) => PendingKind::AtomicInside,
            Builtin::AtomicEnd => PendingKind::AtomicEnd,
            Builtin::Format(f) if f.is_output() => PendingKind::Output,
            Builtin::Puts | Builtin::Putchar => PendingKind::Output,
            Builtin::Exit | Builtin::ExitNow => PendingKind::Exit { status: argument(0)? as i32 },
            Builtin::Abort => PendingKind::Fail(FailureKind::Abort),
            Builtin::AssertFail | Builtin::ReachError => PendingKind::Fail(FailureKind::Assertion),
            Builtin::ThreadSelf
            | Builtin::ThreadEqual
            | Builtin::ThreadLocal
            | Builtin::SetJump
            | Builtin::LongJump
            | Builtin::MutexInit
            | Builtin::Math(_)
            | Builtin::Wide(_)
            | Builtin::Assume
            | Builtin::RegionBegin
            | Builtin::RegionEnd
            | Builtin::Yield
            | Builtin::Sleep
            | Builtin::UsableSize
            | Builtin::Format(_) => PendingKind::Unsupported,
            Builtin::System(call) => {
                let known = self.world.next_answer(self.thread).map(|answer| answer.bytes.len() as u64);
                PendingKind::System { touched: touched(call, argument, known) }
            }
        })
    }
}
