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
}
