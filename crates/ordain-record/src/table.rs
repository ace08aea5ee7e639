//! What whoever follows a log has to know about the executable that wrote it.

use ordain_ir::program::{Builtin, Inst, Ordering, SystemCall};
use serde::{Deserialize, Serialize};

/// Functions are numbered as in the `Program`, and blocks as in its functions.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FollowTable {
    /// Functions that ran natively: their paths are not in the log.
    pub native: Vec<u32>,
    /// Those of them whose results are in the data.
    pub noted: Vec<u32>,
    /// The branches (function, block) that are not in the log, because they can be computed.
    pub recomputed: Vec<(u32, u32)>,
    /// The points (function, block, nth point in it) whose results are among the values.
    pub values: Vec<(u32, u32, u32, Keeping)>,
    /// What the library was given and is among the values.
    #[serde(default)]
    pub arguments: Vec<Argument>,
}

/// An argument of a call, which is noted before it if it is not what was noted last in its slot: as of `Keeping::Changes`, the
/// path has a bit that says so.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Argument {
    pub function: u32,
    pub block: u32,
    /// Which call of the block, of those that are of functions that ran natively or allocate.
    pub nth: u32,
    /// Which argument.
    pub position: u32,
    pub slot: u32,
}

/// Which of the results of a point are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Keeping {
    /// All of them, in this slot.
    All(u32),
    /// Those that are not what the thread read last where this slot is used, at first zero. Several points may share a slot. The
    /// path has a bit for each result: whether it is among the values. After one that was read by a load which acquires comes the time.
    Changes(u32),
    /// None, but the path has that bit, and if it is set, the time is among the values.
    Times(u32),
}

impl Keeping {
    /// Whether the path has a bit for each result.
    pub fn has_bit(self) -> bool {
        !matches!(self, Keeping::All(_))
    }
}

/// How many slots a thread has. What is kept is written as its difference from the last value in its slot.
pub const SLOTS: u32 = 2048;

/// How much a recording keeps, besides the paths and what enters from outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Nothing.
    Paths,
    /// Where allocations are, and what was read from possibly shared memory and then used as an address or given to a function.
    #[default]
    Addresses,
    /// Everything that was read from possibly shared memory.
    Values,
}

impl Level {
    /// Whether the time is noted where threads have to do with each other.
    pub fn keeps_times(self) -> bool {
        self != Level::Paths
    }
}

/// When the time is noted at something that threads do to each other: whoever takes something has it afterwards, and whoever gives
/// something away had it before. So the times of what came one after the other are in that order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stamp {
    Before,
    After,
    /// Whoever waits for others gives them something first: to know that it is there, a mutex.
    Both,
}

impl Stamp {
    /// For a function of the library that runs natively and whose result is noted.
    pub fn of_native(name: &str) -> Option<Stamp> {
        const GIVES: [&str; 5] = ["unlock", "signal", "broadcast", "post", "destroy"];
        const MEETS: [&str; 4] = ["barrier_wait", "cond_wait", "cond_timedwait", "cond_clockwait"];
        if name.contains("attr") || name.ends_with("_init") {
            return None;
        }
        if MEETS.iter().any(|end| name.ends_with(end)) {
            return Some(Stamp::Both);
        }
        Some(if GIVES.iter().any(|end| name.ends_with(end)) { Stamp::Before } else { Stamp::After })
    }

    pub fn of_builtin(builtin: Builtin) -> Option<Stamp> {
        match builtin {
            Builtin::MutexUnlock | Builtin::MutexDestroy | Builtin::ThreadCreate => Some(Stamp::Before),
            Builtin::MutexLock | Builtin::MutexTryLock | Builtin::ThreadJoin => Some(Stamp::After),
            Builtin::Yield => Some(Stamp::After),
            // It is long: what comes after it is taken to be next to the time that follows, and this is to tell what came before it.
            Builtin::Sleep => Some(Stamp::Before),
            Builtin::System(SystemCall::ParseDouble | SystemCall::ParseFloat) => None,
            Builtin::System(_) => Some(Stamp::After),
            _ => None,
        }
    }

    /// Atomic writes are noted after they were made.
    pub fn is_on(inst: &Inst) -> bool {
        match inst {
            Inst::Store { order, .. } => order.is_some(),
            Inst::Rmw { .. } | Inst::CmpXchg { .. } => true,
            _ => false,
        }
    }

    /// Loads that acquire are noted if they read something else than the last time (`Keeping`): whoever goes round in a loop
    /// until something changes would have little else in its log. Those that are relaxed are not: they say that they
    /// order nothing, and to read the counter would keep processors from having several of them under way.
    pub fn is_on_load(inst: &Inst) -> bool {
        matches!(inst, Inst::Load { order: Some(Ordering::Acquire | Ordering::SeqCst), .. })
    }
}
