//! Names that do not depend on the schedule.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A thread is named by the order of creation along its ancestors: main is `0`, the first thread it creates `0.1`, the
/// second thread that one creates `0.1.2`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ThreadName(Vec<u32>);

impl ThreadName {
    pub fn main() -> Self {
        ThreadName(vec![0])
    }

    /// The `nth` thread (from 1) that this one creates.
    pub fn child(&self, nth: u32) -> Self {
        let mut path = self.0.clone();
        path.push(nth);
        ThreadName(path)
    }

    pub fn is_main(&self) -> bool {
        self.0.len() == 1
    }

    /// What `pthread_self` returns in this thread: a number that, like the name, does not depend on the schedule.
    pub fn handle(&self) -> u64 {
        // FNV-1a over the path; even and not small, so that it is neither 0 nor one of the values programs make up.
        let hash = self.0.iter().fold(0xcbf2_9ce4_8422_2325_u64, |h, n| (h ^ *n as u64).wrapping_mul(0x100_0000_01b3));
        (hash >> 1 | 1 << 62) & !1
    }

    /// Its place among its parent's children, from 1; 0 for main.
    pub fn nth(&self) -> u32 {
        self.0[self.0.len() - 1]
    }

    pub fn parent(&self) -> Option<Self> {
        (self.0.len() > 1).then(|| ThreadName(self.0[..self.0.len() - 1].to_vec()))
    }
}

impl fmt::Display for ThreadName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, n) in self.0.iter().enumerate() {
            write!(f, "{}{n}", if i == 0 { "" } else { "." })?;
        }
        Ok(())
    }
}

impl TryFrom<String> for ThreadName {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let path: Option<Vec<u32>> = text.split('.').map(|n| n.parse().ok()).collect();
        match path {
            Some(path) if path[0] == 0 => Ok(ThreadName(path)),
            _ => Err(format!("'{text}' is not a thread name (expected something like 0.1.2)")),
        }
    }
}

impl From<ThreadName> for String {
    fn from(name: ThreadName) -> String {
        name.to_string()
    }
}
