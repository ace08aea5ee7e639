//! What can go wrong, and where.

use crate::names::ThreadName;
use serde::{Deserialize, Serialize};
use std::fmt;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    Assertion,
    Abort,
    Null,
    Bounds,
    UseAfterFree,
    DoubleFree,
    Division,
    Race,
    Deadlock,
    Hang,
    LockMisuse,
    Uninitialised,
    Atomicity,
}

impl FailureKind {
    pub const ALL: [FailureKind; 13] = [
        FailureKind::Assertion,
        FailureKind::Abort,
        FailureKind::Null,
        FailureKind::Bounds,
        FailureKind::UseAfterFree,
        FailureKind::DoubleFree,
        FailureKind::Division,
        FailureKind::Race,
        FailureKind::Deadlock,
        FailureKind::Hang,
        FailureKind::LockMisuse,
        FailureKind::Uninitialised,
        FailureKind::Atomicity,
    ];

    /// What reports and options call it.
    pub fn name(self) -> &'static str {
        match self {
            FailureKind::Assertion => "assertion",
            FailureKind::Abort => "abort",
            FailureKind::Null => "null",
            FailureKind::Bounds => "bounds",
            FailureKind::UseAfterFree => "use-after-free",
            FailureKind::DoubleFree => "double-free",
            FailureKind::Division => "division",
            FailureKind::Race => "race",
            FailureKind::Deadlock => "deadlock",
            FailureKind::Hang => "hang",
            FailureKind::LockMisuse => "lock-misuse",
            FailureKind::Uninitialised => "uninitialised",
            FailureKind::Atomicity => "atomicity",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl FailureKind {
    /// Threads that can never go on: the others may.
    pub fn is_stuck(self) -> bool {
        matches!(self, FailureKind::Deadlock | FailureKind::Hang)
    }

    /// What a process may do after this is not the program's to say; it may well go on.
    pub fn is_undefined_behaviour(self) -> bool {
        use FailureKind::*;
        matches!(self, Null | Bounds | UseAfterFree | DoubleFree | Division | LockMisuse | Uninitialised)
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A place in the source.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    pub file: String,
    pub line: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// A function that is being executed: where in it the thread is, or calls the next one.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Frame {
    pub function: String,
    #[serde(flatten)]
    pub place: Place,
}

/// Something that went wrong in a run, or that a witness claims to go wrong.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Failure {
    pub kind: FailureKind,
    pub thread: ThreadName,
    pub place: Place,
    /// For a race the other access; for a violation of atomicity the first access of the region and the one that came between;
    /// for a deadlock or hang the other threads that are stuck, in order of thread names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<(ThreadName, Place)>,
    /// In words, with the variable's name where known. Not part of the claim.
    pub message: String,
    /// The user's functions that the thread was in, innermost first. Not part of the claim, and known of runs only.
    #[serde(skip)]
    pub stack: Vec<Frame>,
}

impl Failure {
    /// Whether two failures are the same claim: kind, threads and places, whatever the words.
    pub fn same_claim(&self, other: &Failure) -> bool {
        self.claim_key() == other.claim_key()
    }

    /// Whether two failures are one to a person: the same kind at the same places, whoever was there.
    pub fn same_places(&self, other: &Failure) -> bool {
        self.kind == other.kind && self.places() == other.places()
    }

    /// Where all threads were, in order.
    pub fn places(&self) -> Vec<&Place> {
        let mut places: Vec<&Place> = self.others.iter().map(|(_, place)| place).chain([&self.place]).collect();
        places.sort();
        places
    }

    fn claim_key(&self) -> (FailureKind, Vec<(&ThreadName, &Place)>) {
        let mut threads: Vec<_> = self.others.iter().map(|(t, p)| (t, p)).collect();
        threads.push((&self.thread, &self.place));
        threads.sort();
        (self.kind, threads)
    }
}
