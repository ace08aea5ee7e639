//! The log of a run: what was executed, in order, with the values that were read and written.

use crate::pending::Decides;
use crate::thread::ThreadId;
use ordain_ir::program::{BlockId, FuncId, Location, Ordering, Pc, SystemCall};
use ordain_model::names::ThreadName;
use std::rc::Rc;

/// One executed point, or a store that reached memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executed {
    pub thread: ThreadId,
    pub function: FuncId,
    pub pc: Pc,
    /// In the user's code: where a model of a library function was called, not where in the model.
    pub location: Location,
    /// The call instructions that led here, innermost first.
    pub callers: Rc<[(FuncId, Pc)]>,
    pub action: Action,
    /// Which point of the thread's it is, from 1; of a store that reached memory, the last one before that.
    pub points: u64,
}

/// A conditional branch or a switch, and where it led.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    pub function: FuncId,
    pub pc: Pc,
    pub to: BlockId,
}

/// Something that a thread did between two points, and how many points it had executed by then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marked {
    pub points: u64,
    pub mark: Mark,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// It has entered this function.
    Entered(FuncId),
    /// It has left the last one that it has entered and not left.
    Left,
    /// `ordain_atomic_begin`
    Begin,
    /// `ordain_atomic_end`
    End,
}

impl Executed {
    /// All frames, innermost first; of callers the call instruction.
    pub fn stack(&self) -> impl DoubleEndedIterator<Item = (FuncId, Pc)> + '_ {
        std::iter::once((self.function, self.pc)).chain(self.callers.iter().copied())
    }
}

/// Bytes that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    pub address: u64,
    pub bytes: u64,
}

/// What a system call has to do with memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    pub read: Option<Extent>,
    pub written: Option<Extent>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    Load {
        address: u64,
        size: u8,
        value: u64,
        order: Option<Ordering>,
    },
    Store {
        address: u64,
        size: u8,
        value: u64,
        order: Option<Ordering>,
    },
    Rmw {
        address: u64,
        size: u8,
        old: u64,
        new: u64,
        order: Ordering,
    },
    /// `new` is what was stored, if it was.
    CmpXchg {
        address: u64,
        size: u8,
        old: u64,
        new: Option<u64>,
    },
    Fence(Ordering),
    Lock {
        address: u64,
    },
    TryLock {
        address: u64,
        taken: bool,
    },
    Unlock {
        address: u64,
    },
    DestroyMutex {
        address: u64,
    },
    /// A decision that the scheduler took for the thread.
    Chosen {
        choice: Decides,
        outcome: u32,
    },
    /// The thread begins to wait for a condition.
    Enqueue {
        condition: u64,
    },
    /// The thread goes on after it was woken.
    Wake {
        condition: u64,
    },
    /// The thread sees whether it was woken; if it `leaves`, it waits no longer.
    Look {
        condition: u64,
        woken: bool,
        leaves: bool,
    },
    Signal {
        condition: u64,
        all: bool,
        woken: Vec<ThreadId>,
    },
    /// The thread sees whether anybody waits.
    Waiters {
        condition: u64,
        any: bool,
    },
    Create {
        child: ThreadId,
        name: ThreadName,
    },
    Join {
        target: ThreadId,
    },
    Detach {
        target: ThreadId,
    },
    ThreadExit,
    /// `address` is where the bytes went; `None` if they are the call's result.
    Input {
        nth: u32,
        address: Option<u64>,
        bytes: Vec<u8>,
    },
    /// `from` is the object that was grown or shrunk, for `realloc`.
    Allocate {
        base: u64,
        size: u64,
        from: Option<u64>,
    },
    Free {
        address: u64,
    },
    AtomicBegin,
    AtomicEnd,
    Output {
        text: Vec<u8>,
    },
    /// `result` is as the kernel has it: an error number has a minus before it.
    System {
        call: SystemCall,
        result: i64,
        touched: Touched,
    },
    Divide {
        value: u64,
    },
    /// The run ended here.
    Stop,
    /// A buffered store reached memory. Stands at the instruction of the store, without its callers.
    Commit {
        address: u64,
        size: u8,
        value: u64,
    },
}
