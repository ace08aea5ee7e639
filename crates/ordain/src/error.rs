//! How a command can end, and the exit code of each way.

use std::process::ExitCode;
use thiserror::Error;

/// The ways in which a command ends that did what it was asked to.
#[derive(Clone, Copy, Debug)]
pub enum Outcome {
    /// Nothing wrong; for `explore`: verified, all of it.
    Clean,
    /// A bug, confirmed; for `replay`: the claim was reproduced.
    Bug,
    /// Ended before everything was known, or without what was asked for: time, a bound, something unsupported.
    Unfinished,
    /// What another program that this command stands in for ended with.
    Passed(ExitCode),
}

impl Outcome {
    pub fn exit_code(self) -> ExitCode {
        match self {
            Outcome::Clean => ExitCode::SUCCESS,
            Outcome::Bug => ExitCode::from(1),
            Outcome::Unfinished => ExitCode::from(3),
            Outcome::Passed(code) => code,
        }
    }
}

#[derive(Error, Debug)]
pub enum CommandError {
    /// The user can put it right: the message says what, where, and what to do.
    #[error("{0}")]
    Input(String),
    /// The program needs something that Ordain does not have yet.
    #[error("{0}")]
    Unsupported(String),
    /// Ordain contradicts itself. Never swallowed.
    #[error(
        "internal error: {0}\nThis is a bug in Ordain, not in your program. Please report it to the maintainers, with the \
         command line, the program and this message."
    )]
    Internal(String),
}

impl CommandError {
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            CommandError::Input(_) => 2,
            CommandError::Unsupported(_) => 3,
            CommandError::Internal(_) => 70,
        })
    }

    /// A file that could not be read or written.
    pub fn file(what: &str, path: &std::path::Path, error: &std::io::Error) -> Self {
        CommandError::Input(format!("cannot {what} {}: {error}", path.display()))
    }
}
