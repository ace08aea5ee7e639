//! How a run stands between two steps: what it takes to look at executions from there on.
//!
//! A long run is looked at in windows. What came before a window is over: memory holds what it holds, threads are inside their functions,
//! have mutexes, wait for conditions. A machine says how that is; whoever unfolds threads begins there instead of at the start of the
//! program.

use crate::forest::Contents;
use crate::memory::ObjectInfo;
use crate::names::ThreadName;
use ordain_ir::program::{FuncId, Pc};

/// A moment of a run.
pub trait Scene {
    /// Every thread so far, in the order in which they were created.
    fn threads(&self) -> Vec<Standing>;

    /// What the object that begins at `base` holds; `None` if there is none yet, or no more.
    fn contents(&self, base: u64) -> Option<Contents>;

    /// Whether the object has been there, and is gone.
    fn is_gone(&self, object: &ObjectInfo) -> bool;
}

/// Where a thread stands.
#[derive(Clone, Debug)]
pub struct Standing {
    pub thread: ThreadName,
    /// Outermost first; none if it has ended.
    pub frames: Vec<StandingFrame>,
    /// What it has returned, if it has ended.
    pub returned: Register,
    /// Others have joined or detached it.
    pub parted: bool,
    /// Mutexes that it has.
    pub held: Vec<u64>,
    /// The condition that it waits for, or has waited for, until a moment ago.
    pub waiting: Option<WaitingFor>,
    /// How often it has allocated at each place.
    pub allocations: Vec<((FuncId, Pc), u32)>,
    /// How many threads it has created, inputs it has been given, and system calls it has been answered.
    pub creates: u32,
    pub inputs: u32,
    pub answers: u32,
}

#[derive(Clone, Copy, Debug)]
pub struct WaitingFor {
    pub condition: u64,
    pub woken: bool,
}

#[derive(Clone, Debug)]
pub struct StandingFrame {
    pub function: FuncId,
    /// The next instruction; in a caller's frame the call that it waits for.
    pub pc: Pc,
    pub registers: Vec<Register>,
    /// Stack objects that die with it.
    pub objects: Vec<u64>,
}

/// A value, and a bit for each of its bytes that is undefined.
#[derive(Clone, Copy, Debug, Default)]
pub struct Register {
    pub value: u64,
    pub undefined: u8,
}
