//! Why a program could not be loaded.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use thiserror::Error;

/// Everything here is about the user's input or machine, except `Internal`.
#[derive(Debug, Error)]
pub enum LoadError {
    #[error("no program given: expected C or C++ sources, .bc or .ll files, or an executable made by `ordain cc`")]
    NothingGiven,
    #[error("cannot read {}: {source}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("cannot write {}: {source}", path.display())]
    Unwritable { path: PathBuf, source: std::io::Error },
    #[error("{} is neither a C or C++ source (.c, .i, .cc, .cpp, .cxx, .C), nor bitcode (.bc, .ll), nor an executable", path.display())]
    UnknownKind { path: PathBuf },
    #[error("{tool} is needed but cannot be started: {source}")]
    ToolMissing { tool: String, source: std::io::Error },
    /// The text is the compiler's own.
    #[error("{} does not compile:\n{diagnostics}", path.display())]
    DoesNotCompile { path: PathBuf, diagnostics: String },
    #[error("{}: {reason}", path.display())]
    BadExecutable { path: PathBuf, reason: String },
    #[error("an executable made by `ordain cc` is a whole program: it cannot be combined with other files")]
    ExecutableAmongOthers,
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error("not valid bitcode: LLVM's reader crashed on {files} ({status})")]
    ReaderCrashed { files: String, status: String },
    #[error("not valid bitcode: LLVM's reader did not get done with {files} in {seconds} seconds")]
    ReaderTooSlow { files: String, seconds: u64 },
    #[error("cannot start {} to read bitcode: {source}", path.display())]
    ReaderMissing { path: PathBuf, source: std::io::Error },
    #[error("cannot work with temporary files: {0}")]
    Temporary(#[source] std::io::Error),
    #[error("internal error: {0}")]
    Internal(String),
}

/// Why the child that reads bitcode (see `child`) said no.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
pub enum Refusal {
    #[error("{file} is not valid bitcode: {reason}")]
    NotBitcode { file: String, reason: String },
    #[error("{file} cannot be linked with the rest of the program: {reason}")]
    DoesNotLink { file: String, reason: String },
    #[error("the program has no function `main`")]
    NoMain,
    #[error("unsupported: {0}")]
    Unsupported(String),
    #[error("the reader of bitcode is of another build than the program that started it: build both again")]
    OtherBuild,
    #[error("internal error while reading bitcode: {0}")]
    Internal(String),
}
