//! Instrumenting bitcode in a child process, because LLVM's readers are not hardened (see `ordain_ir::child`): bitcode on
//! standard input, what came of it on standard output. A crash is a reason like any other.

use crate::record::{self, RecordObject};
use crate::rewrite::{ReplayObject, RewriteError, rewrite};
use crate::{Error, RecordOptions};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

/// The hidden subcommand that an executable which calls `main` here must offer.
pub const SUBCOMMAND: &str = "__instrument-bitcode";
/// Names an executable to start instead of the running one, as for reading bitcode.
const HELPER_VARIABLE: &str = "ORDAIN_SELF";
/// The executable of this crate that does nothing else, found next to test binaries.
const HELPER_NAME: &str = "ordain-instrument-bitcode";

/// What is asked of a child: it finds this on its standard input, and then the bitcode.
#[derive(Clone, Serialize, Deserialize)]
enum Request {
    Replay,
    Record(RecordOptions),
}

/// What crosses the process boundary on the way back.
type Answer<T> = Result<T, Failed>;

/// Why there is no object.
#[derive(Debug, Serialize, Deserialize)]
enum Failed {
    /// The program uses what cannot be recorded.
    Unsupported(String),
    Other(String),
}

/// Has a child instrument `bitcode` for replay.
pub(crate) fn for_replay(bitcode: &[u8]) -> Result<ReplayObject, Error> {
    instrument(Request::Replay, bitcode)
}

/// Has a child instrument `bitcode` for recording.
pub(crate) fn for_recording(bitcode: &[u8], options: &RecordOptions) -> Result<RecordObject, Error> {
    instrument(Request::Record(options.clone()), bitcode)
}

fn instrument<T: DeserializeOwned>(request: Request, bitcode: &[u8]) -> Result<T, Error> {
    let path = helper().map_err(|source| Error::CannotStart { tool: HELPER_NAME.to_owned(), source })?;
    let missing = |source| Error::CannotStart { tool: path.display().to_string(), source };
    let mut child = Command::new(&path)
        .arg(SUBCOMMAND)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        // A crash prints a stack trace, which is of no use to anyone who does not know LLVM.
        .stderr(Stdio::null())
        .spawn()
        .map_err(missing)?;
    if let Some(mut stdin) = child.stdin.take() {
        let request = postcard::to_stdvec(&request).map_err(|e| Error::Instrument(e.to_string()))?;
        // If the child is gone, its status says more than the broken pipe. It reads everything before it answers.
        let _ = stdin.write_all(&request).and_then(|()| stdin.write_all(bitcode));
    }
    let output = child.wait_with_output().map_err(missing)?;
    if !output.status.success() {
        return Err(Error::Instrument(format!("LLVM crashed ({})", output.status)));
    }
    let answer: Answer<T> = postcard::from_bytes(&output.stdout)
        .map_err(|e| Error::Instrument(format!("{} does not answer as expected: {e}", path.display())))?;
    answer.map_err(|failed| match failed {
        Failed::Unsupported(what) => Error::Unsupported(what),
        Failed::Other(what) => Error::Instrument(what),
    })
}

fn helper() -> io::Result<PathBuf> {
    if let Some(path) = std::env::var_os(HELPER_VARIABLE) {
        return Ok(path.into());
    }
    let own = std::env::current_exe()?;
    // Test binaries lie in target/…/deps; they do not offer the subcommand, but the helper is built beside.
    match own.parent().filter(|dir| dir.ends_with("deps")).and_then(|dir| dir.parent()) {
        Some(target) => Ok(target.join(HELPER_NAME)),
        None => Ok(own),
    }
}

/// The child's side.
pub fn main() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{SUBCOMMAND} is not meant to be called by hand: {error}");
            ExitCode::from(2)
        }
    }
}

fn serve() -> io::Result<()> {
    let mut input = Vec::new();
    io::stdin().read_to_end(&mut input)?;
    let invalid = |e| io::Error::new(io::ErrorKind::InvalidData, e);
    let (request, bitcode) = postcard::take_from_bytes(&input).map_err(invalid)?;
    let bytes = match request {
        Request::Replay => postcard::to_stdvec(&rewrite(bitcode).map_err(failed)),
        Request::Record(options) => postcard::to_stdvec(&record::rewrite(bitcode, &options).map_err(failed)),
    };
    io::stdout().write_all(&bytes.map_err(invalid)?)
}

fn failed(error: RewriteError) -> Failed {
    match error {
        RewriteError::Unsupported(what) => Failed::Unsupported(what),
        error => Failed::Other(error.to_string()),
    }
}
