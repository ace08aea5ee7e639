//! What whoever follows a log has to know about the executable that wrote it.

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
}

/// Which of the results of a point are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Keeping {
    All,
    /// Those that are not what the thread read last where this slot is used, at first zero. Several points may share a slot. The
    /// path has a bit for each result: whether it is among the values.
    Changes(u32),
}

/// How many slots a thread has.
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
