//! Following a thread's path through the program, as far as its log goes.
//!
//! The walk holds the log and the program to each other: every decision must be one of the ways that the program has, an
//! indirect call must go to a function, every system call must have its entry among the data, and a thread that is known
//! to have ended must end where the log does. What is known only by values (which lock, which address) is not looked at.

mod values;
mod walk;

use crate::error::LogError;
use crate::recording::Recording;
use crate::threads::ThreadLog;
use ordain_ir::program::{BlockId, FuncId, Pc, Program};
use ordain_model::names::ThreadName;
use ordain_rt::format::{HEADER_BYTES, PATH_SUFFIX, State};
use std::path::{Path, PathBuf};

/// The path of one thread.
#[derive(Clone, Debug)]
pub struct Followed {
    pub name: ThreadName,
    pub end: PathEnd,
    /// Where the thread was, innermost function first. Empty if its function returned.
    pub stack: Vec<(FuncId, Pc)>,
    pub blocks: u64,
    /// Decisions that the log has, and those that were computed.
    pub recorded: u64,
    pub recomputed: u64,
    /// Values that were read, and are in the log.
    pub values: u64,
    /// Decisions that went another way than follows from those values. In a program whose behaviour is defined there are none;
    /// what is not (an overflow, say) compilers may understand in more ways than one.
    pub disagreements: u64,
    /// How many threads it created.
    pub created: u32,
}

/// How a path ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PathEnd {
    /// Exactly where the thread ended: returned, left, or ended the process.
    Ended(State),
    /// Where the log has no next decision: the thread was still running, or faulted, before it took one.
    BeforeDecision(State),
    /// Where there was no room for more.
    Cut,
}

/// Why a path cannot be followed.
#[derive(Debug, thiserror::Error)]
pub enum FollowError {
    #[error(transparent)]
    Log(#[from] LogError),
    /// The program and the log contradict each other.
    #[error("{} is damaged at byte {offset}: {why} (in {place})", file.display())]
    Contradiction { file: PathBuf, offset: u64, why: String, place: String },
    /// The path leads where the program is not understood.
    #[error("thread {thread} cannot be followed beyond {place}: {what}")]
    NotUnderstood { thread: ThreadName, what: String, place: String },
}

/// A decision of a thread: the branch or switch at `pc` of `function` led to the block `to`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decision {
    pub function: FuncId,
    pub pc: Pc,
    pub to: BlockId,
}

/// What the log says on the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seen {
    Decision(Decision),
    /// The instruction at `pc` of `function` has read this, or allocated memory there: an address is one of the process.
    Value {
        function: FuncId,
        pc: Pc,
        value: u64,
    },
    /// The call at `pc` of `function` was given this as its nth argument.
    Argument {
        function: FuncId,
        pc: Pc,
        nth: u32,
        value: u64,
    },
    /// Threads had to do with each other here, at this time.
    Time {
        function: FuncId,
        pc: Pc,
        time: u64,
    },
    /// The instruction has called a library function, which returned this.
    Result {
        function: FuncId,
        pc: Pc,
        value: u64,
    },
}

/// Follows one thread of a recording of `program`, in `directory`.
pub fn follow(
    program: &Program,
    recording: &Recording,
    thread: &ThreadLog,
    directory: &Path,
) -> Result<Followed, FollowError> {
    follow_with(program, recording, thread, directory, &mut |_| ())
}

/// The same, and tells `see` of every decision and every value on the way.
pub fn follow_with(
    program: &Program,
    recording: &Recording,
    thread: &ThreadLog,
    directory: &Path,
    see: &mut dyn FnMut(Seen),
) -> Result<Followed, FollowError> {
    let file = directory.join(format!("{}{PATH_SUFFIX}", thread.name));
    walk::Walk::new(program, recording, thread, see)
        .and_then(walk::Walk::run)
        .map_err(|stop| stop.into_error(program, thread, file, HEADER_BYTES))
}
