//! What can be wrong with a log.

use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum LogError {
    #[error("cannot read {}: {source}", file.display())]
    Unreadable { file: PathBuf, source: std::io::Error },
    #[error("cannot write {}: {source}", file.display())]
    Unwritable { file: PathBuf, source: std::io::Error },
    /// It is something else altogether.
    #[error("{} is not a recording: {why}", file.display())]
    NotOne { file: PathBuf, why: String },
    #[error("{} is damaged at byte {offset}: {why}", file.display())]
    Damaged { file: PathBuf, offset: u64, why: String },
    /// Not what it was when the recording was finished.
    #[error("{} has changed since it was recorded", file.display())]
    Changed { file: PathBuf },
    #[error("{} belongs to another build of the program", file.display())]
    Foreign { file: PathBuf },
    #[error("the program had a variable in its environment that is no text: {variable}. Record it without that one.")]
    NotText { variable: String },
}

impl LogError {
    pub(crate) fn unreadable(file: &Path) -> impl FnOnce(std::io::Error) -> LogError {
        |source| LogError::Unreadable { file: file.to_owned(), source }
    }

    pub(crate) fn unwritable(file: &Path) -> impl FnOnce(std::io::Error) -> LogError {
        |source| LogError::Unwritable { file: file.to_owned(), source }
    }

    pub(crate) fn damaged(file: &Path, offset: usize, why: &str) -> LogError {
        LogError::Damaged { file: file.to_owned(), offset: offset as u64, why: why.to_owned() }
    }
}
