//! A witness: one execution, written down so that it can be run again.
//!
//! A schedule counts points (see `ordain_ir::program`), so it means the same in the machine and natively. There is no
//! seed anywhere: what happened is written out.

use crate::answers::Answers;
use crate::failure::Failure;
use crate::names::ThreadName;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize, Default)]
#[serde(rename_all = "lowercase")]
pub enum MemoryModel {
    #[default]
    Sc,
    Tso,
    Pso,
}

/// One entry of a schedule.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Turn {
    /// The thread executes `points` points (and what is local to it up to the next one).
    Run { thread: ThreadName, points: u32 },
    /// The thread executes one point, where the scheduler decides what comes of it: whether time is up (1 is yes), whether a
    /// wait ends without a signal (1 is yes), which of those who wait a signal wakes (from 0, in the order of arrival).
    /// Whatever a `Run` comes by has outcome 0.
    Choose { thread: ThreadName, outcome: u32 },
    /// A buffered store of the thread reaches memory: the `nth` (from 0) of those still in its buffer, oldest first.
    Commit { thread: ThreadName, nth: u32 },
}

impl Turn {
    pub fn thread(&self) -> &ThreadName {
        let (Turn::Run { thread, .. } | Turn::Choose { thread, .. } | Turn::Commit { thread, .. }) = self;
        thread
    }
}

/// The `nth` input (from 0) that `thread` asked for.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct InputValue {
    pub thread: ThreadName,
    pub nth: u32,
    /// As the program names it, for people.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Everything needed to run an execution again, apart from the program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, Default)]
pub struct Execution {
    pub memory: MemoryModel,
    pub schedule: Vec<Turn>,
    pub inputs: Vec<InputValue>,
    /// What system calls returned, if the run was recorded.
    #[serde(default, skip_serializing_if = "is_without")]
    pub answers: Answers,
}

fn is_without(answers: &Answers) -> bool {
    !answers.are_recorded()
}

impl Execution {
    /// How many points it has, and stores that reach memory by themselves.
    pub fn points(&self) -> u64 {
        let points = |turn: &Turn| match turn {
            Turn::Run { points, .. } => u64::from(*points),
            Turn::Choose { .. } | Turn::Commit { .. } => 1,
        };
        self.schedule.iter().map(points).sum()
    }
}

/// What is said to happen in an execution.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Claim {
    /// Something goes wrong.
    Failure(Failure),
    /// The process ends by itself, with this status.
    Exit { status: i32 },
}

impl Claim {
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Claim::Failure(failure) => Some(failure),
            Claim::Exit { .. } => None,
        }
    }
}

/// Which way every thread of an execution went, in short: two that differ in a branch differ in this.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PathHash(String);

impl PathHash {
    /// Of the branches that each thread took: function, instruction and target of each.
    pub fn of(paths: &BTreeMap<&ThreadName, Vec<[u32; 3]>>) -> Self {
        let mut hash = Sha256::new();
        for (thread, branches) in paths {
            hash.update(format!("{thread} {}\n", branches.len()));
            branches.iter().flatten().for_each(|word| hash.update(word.to_le_bytes()));
        }
        PathHash(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

/// The contents of a witness file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Witness {
    /// Of this file format.
    pub version: u32,
    /// Hash of the build it belongs to, in hex.
    pub build: String,
    /// The sources, bitcode or executable it was made from, as absolute paths, and what else is needed to build it.
    pub program: Vec<String>,
    /// The user's own models of library functions.
    pub models: Vec<String>,
    pub cflags: Vec<String>,
    pub args: Vec<String>,
    /// The variables of the environment, each as `NAME=VALUE`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<String>,
    pub execution: Execution,
    pub claim: Claim,
    /// Of a test of one path class: the paths that its threads take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathHash>,
}

pub const WITNESS_VERSION: u32 = 4;
