//! How a run stops, and how that is said to a person.

use ordain_model::failure::{Failure, FailureKind, Place};

/// The end of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The process ended with this status, by `exit`, or because the last thread ended.
    Exit(i32),
    Failed(Failure),
    /// The program ruled this execution out (`__VERIFIER_assume` of something false).
    AssumeViolated,
    /// The program did something that the machine gives no meaning to.
    Unsupported {
        what: String,
        place: Place,
    },
}

/// What an instruction does instead of going on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    Failure(FailureKind, String),
    Exit(i32),
    AssumeViolated,
    Unsupported(String),
}

impl Stop {
    pub fn uninitialised(what: &str) -> Stop {
        Stop::Failure(FailureKind::Uninitialised, format!("{what} is not initialised"))
    }
}
