//! Events: what a thread does that other threads can notice, with symbolic operands.
//!
//! Along a path of one thread the events are fixed: every value that comes from outside the thread (a read of shared
//! memory, an input, what a joined thread returned) is a fresh symbol. An event's operands are terms over the symbols of
//! its own thread.

use crate::names::ThreadName;
use ordain_expr::Term;
use ordain_ir::program::{FuncId, Ordering, Pc};

/// Where in the program something happens.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Site {
    pub function: FuncId,
    pub pc: Pc,
    /// The instruction in the user's own code: `(function, pc)` itself, or the call into a library model.
    pub user: (FuncId, Pc),
}

/// A place in memory: inside which object is always known, where in it need not be.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Address {
    /// Base address of the object.
    pub object: u64,
    /// The whole address, 64 bits, as a term. Guaranteed to lie inside the object.
    pub term: Term,
}

#[derive(Clone, PartialEq, Debug)]
pub enum EventKind {
    /// First event of every thread. `argument` is a symbol if creators pass something symbolic.
    Start {
        argument: Option<Term>,
    },
    /// Last event of a thread that ends.
    Exit {
        value: Term,
    },
    Read {
        address: Address,
        size: u8,
        /// A fresh symbol of `8 * size` bits.
        value: Term,
        order: Option<Ordering>,
    },
    Write {
        address: Address,
        size: u8,
        value: Term,
        order: Option<Ordering>,
    },
    /// Read-modify-write, compare-and-swap included: then `writes` says when it writes.
    Rmw {
        address: Address,
        size: u8,
        old: Term,
        new: Term,
        writes: Term,
        order: Ordering,
        /// The order if nothing is written.
        failure: Ordering,
    },
    Fence {
        order: Ordering,
    },
    /// The thread's store buffer is emptied by something that is no fence: nobody synchronises with it.
    Drain,
    Lock {
        mutex: u64,
        /// Waits until the mutex is free; a trylock does not.
        waits: bool,
    },
    Unlock {
        mutex: u64,
        /// The event that took the lock.
        lock: EventId,
    },
    /// A trylock that found the mutex taken.
    Busy {
        mutex: u64,
    },
    /// The thread joins those that wait for a condition.
    Enqueue {
        condition: u64,
    },
    /// The thread goes on after somebody has woken it.
    Wake {
        enqueue: EventId,
    },
    /// The thread sees whether it was woken (a fresh symbol of one bit); if it `leaves`, it waits no longer.
    Look {
        enqueue: EventId,
        woken: Term,
        leaves: bool,
    },
    /// Wakes one of those that wait for a condition, or all of them.
    Signal {
        condition: u64,
        all: bool,
    },
    /// The thread sees whether anybody waits for a condition (a fresh symbol of one bit).
    Waiters {
        condition: u64,
        any: Term,
    },
    /// A decision of the scheduler: a fresh symbol of one bit.
    Choose {
        value: Term,
    },
    Create {
        child: TreeKey,
        argument: Term,
    },
    Join {
        thread: ThreadName,
        /// What the joined thread returned: a fresh symbol.
        value: Term,
    },
    /// Nobody will join the thread.
    Detach {
        thread: ThreadName,
    },
    /// The end of an object's life: `free`, or a return from the frame it lived in.
    Free {
        object: u64,
        /// A return, which is no point of its own.
        returning: Option<Return>,
    },
    /// The value decides something, so it must not be undefined.
    Use {
        value: Term,
    },
    /// `__VERIFIER_assume`: executions go on only where it holds.
    Assume {
        condition: Term,
    },
    AtomicBegin,
    AtomicEnd {
        begin: EventId,
    },
}

/// How a thread comes to return from a function. It does in the step of the last point before, whichever that is: where branches
/// were joined, some of them may not take place.
#[derive(Clone, PartialEq, Debug)]
pub struct Return {
    /// The step of the last point that takes place for sure.
    pub since: u64,
    /// The points after it that nobody else notices, which are no events: their steps, and when they take place.
    pub unnoticed: Vec<(u64, Term)>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    pub kind: EventKind,
    /// Within a segment that joined branches run through, an event may or may not take place.
    pub guard: Term,
    pub site: Site,
    /// Counts the steps of the thread along its path: events of one step happen at one moment. At a meeting it starts afresh,
    /// with a number that no other path has.
    pub step: u64,
}

/// Index into `Forest::events`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct EventId(pub u32);

/// What a thread's tree is known by: parents' paths that create the same thread in the same way share it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct TreeKey {
    pub thread: ThreadName,
    pub entry: FuncId,
    /// The argument, if it is a constant.
    pub argument: Option<u64>,
    /// What a model of `pthread_create` gives its own entry function besides.
    pub context: u64,
}

impl EventKind {
    /// The memory that the event touches.
    pub fn access(&self) -> Option<(Address, u8)> {
        match self {
            EventKind::Read { address, size, .. }
            | EventKind::Write { address, size, .. }
            | EventKind::Rmw { address, size, .. } => Some((*address, *size)),
            _ => None,
        }
    }

    pub fn is_write(&self) -> bool {
        matches!(self, EventKind::Write { .. } | EventKind::Rmw { .. })
    }

    /// What is written, if anything is.
    pub fn written(&self) -> Option<Term> {
        match *self {
            EventKind::Write { value, .. } | EventKind::Rmw { new: value, .. } => Some(value),
            _ => None,
        }
    }

    /// The symbol of what is read.
    pub fn seen(&self) -> Option<Term> {
        match *self {
            EventKind::Read { value, .. } | EventKind::Rmw { old: value, .. } => Some(value),
            _ => None,
        }
    }

    pub fn is_read(&self) -> bool {
        matches!(self, EventKind::Read { .. } | EventKind::Rmw { .. })
    }

    /// A memory access that is not atomic.
    pub fn is_plain(&self) -> bool {
        matches!(self, EventKind::Read { order: None, .. } | EventKind::Write { order: None, .. })
    }
}
