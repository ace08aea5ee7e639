//! A program's canonical bitcode becomes a native executable: one that follows a witness, or (`record`) one that keeps a log.
//!
//! *Replay.* `rewrite` puts calls of the runtime (`ordain-rt`, embedded here as a static library) into the bitcode and generates
//! code; `plan` writes an execution down for the runtime; `run` runs the executable; `outcome` compares what happened with
//! the claim. Schedules count the points that are marked in the bitcode, so one means the same here and in the machine.
//!
//! *What is not the same.* Data races and uninitialised values show in the machine only. That a loop never ends is seen
//! only for a while. Store buffers are the runtime's, not the processor's, so that witnesses of TSO and PSO mean the same.
//! Addresses differ, so a program that computes with them may go another way. External functions without a model run
//! natively, where the machine stops.

pub mod child;
mod outcome;
mod plan;
mod record;
mod rewrite;
mod run;
mod table;

pub use outcome::NativeOutcome;
pub use run::{Focus, Output};

use outcome::Ending;
use record::RecordObject;
use rewrite::ReplayObject;
use run::{Debugging, Said};
use table::SiteTable;

use ordain_model::failure::FailureKind;
use ordain_model::witness::{Claim, Execution, MemoryModel};
use ordain_record::{FollowTable, Level};
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

/// The runtimes of replay and of recording, as static libraries.
static RUNTIME: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libordain_rt.a"));
static RECORDER: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libordain_recorder.a"));
/// The libraries count as needed although the program's references to them are weak.
const LINK_FLAGS: [&str; 3] = ["-Wl,--no-as-needed", "-lpthread", "-lm"];

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the program cannot be instrumented: {0}")]
    Instrument(String),
    #[error("cannot start {tool}: {source}")]
    CannotStart { tool: String, source: std::io::Error },
    #[error("{0}")]
    Unsupported(String),
    #[error("the executable cannot be linked: {0}")]
    Link(String),
    #[error("cannot work with temporary files: {0}")]
    Temporary(#[source] std::io::Error),
    #[error("what the native run reported cannot be understood: '{0}'")]
    Garbled(String),
}

/// What a program is started with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Start<'a> {
    pub args: &'a [String],
    /// Each variable as `NAME=VALUE`.
    pub environment: &'a [String],
}

/// A native executable that follows plans.
#[derive(Debug)]
pub struct ReplayBinary {
    path: PathBuf,
    sites: SiteTable,
}

/// Builds the replay executable `out` from canonical bitcode.
pub fn build_replay(bitcode: &[u8], out: &Path) -> Result<ReplayBinary, Error> {
    let ReplayObject { object, sites } = child::for_replay(bitcode)?;
    link(&object, RUNTIME, out)?;
    // A bare file name would be looked for in PATH when it is run.
    Ok(ReplayBinary { path: std::path::absolute(out).map_err(Error::Temporary)?, sites })
}

/// What is to be recorded, and how.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct RecordOptions {
    /// The hash of the build.
    pub build: [u8; 32],
    pub level: Level,
    /// Unless it is sequentially consistent, stores go through buffers in software.
    pub memory: MemoryModel,
    /// Accesses (function, block, nth point in it) of memory that no two threads touch: they are neither logged nor kept as they are.
    pub private: Vec<(u32, u32, u32)>,
}

/// Builds the executable `out` that records, from canonical bitcode. Says what a follower of its logs has to know.
pub fn build_recorder(bitcode: &[u8], options: &RecordOptions, out: &Path) -> Result<FollowTable, Error> {
    let RecordObject { object, table } = child::for_recording(bitcode, options)?;
    link(&object, RECORDER, out)?;
    Ok(table)
}

/// The variable that tells a recording executable the directory of its log.
pub const LOG_VARIABLE: &str = "ORDAIN_LOG";
/// The variable that tells it how many bytes all logs together may take.
pub const LOG_BYTES_VARIABLE: &str = "ORDAIN_LOG_BYTES";
/// The variable that tells it where the chance of its store buffers begins: a number.
pub const SEED_VARIABLE: &str = "ORDAIN_SEED";

fn link(object: &[u8], runtime: &[u8], out: &Path) -> Result<(), Error> {
    let dir = tempfile::tempdir().map_err(Error::Temporary)?;
    let (program, library) = (dir.path().join("program.o"), dir.path().join("libordain_rt.a"));
    std::fs::write(&program, object).map_err(Error::Temporary)?;
    std::fs::write(&library, runtime).map_err(Error::Temporary)?;
    let mut args: Vec<&OsStr> = vec!["-o".as_ref(), out.as_os_str(), program.as_os_str(), library.as_os_str()];
    args.extend(LINK_FLAGS.iter().map(OsStr::new));
    run::tool(ordain_ir::CLANG, &args)
}

impl ReplayBinary {
    /// Lets the program follow `execution`, and says whether it ended as claimed.
    pub fn run(
        &self,
        execution: &Execution,
        start: Start<'_>,
        claim: &Claim,
        output: Output,
    ) -> Result<NativeOutcome, Error> {
        if let Some(why) = claim.failure().and_then(|failure| cannot_show(failure.kind)) {
            return Ok(NativeOutcome::CannotShow { why: why.to_owned() });
        }
        Ok(match run::run(&self.path, &plan::encode(execution, start.environment, claim), start.args, output)? {
            Said::Nothing(status) => {
                NativeOutcome::NotReproduced { instead: format!("the process was gone without a word ({status})") }
            }
            Said::TooLate(seconds) => NativeOutcome::NotReproduced {
                instead: format!("a thread ran for {seconds} seconds without reaching a point"),
            },
            Said::Line(line) => match outcome::parse(&line, &self.sites)? {
                Ending::GaveUp { why } => NativeOutcome::CannotShow { why },
                ending if ending.shows(claim) => NativeOutcome::Reproduced,
                ending => NativeOutcome::NotReproduced { instead: ending.describe() },
            },
        })
    }

    /// Lets the program follow `execution` in gdb, which stops where it fails, with all threads in place. Returns when
    /// the user leaves gdb, with what gdb ended with. `options` are gdb's own.
    pub fn debug(
        &self,
        execution: &Execution,
        start: Start<'_>,
        claim: &Claim,
        focus: &Focus,
        options: &[String],
    ) -> Result<ExitStatus, Error> {
        let plan = plan::encode(execution, start.environment, claim);
        run::debug(&Debugging { binary: &self.path, plan: &plan, args: start.args, focus, options })
    }
}

/// Builds a replay executable in a temporary place and runs it once.
pub fn replay(bitcode: &[u8], execution: &Execution, start: Start<'_>, claim: &Claim) -> Result<NativeOutcome, Error> {
    if let Some(why) = claim.failure().and_then(|failure| cannot_show(failure.kind)) {
        return Ok(NativeOutcome::CannotShow { why: why.to_owned() });
    }
    let dir = tempfile::tempdir().map_err(Error::Temporary)?;
    build_replay(bitcode, &dir.path().join("replay"))?.run(execution, start, claim, Output::Discard)
}

/// Why no native run can show a failure of this kind, if none can.
pub fn cannot_show(kind: FailureKind) -> Option<&'static str> {
    match kind {
        FailureKind::Race => Some("a data race does not stop a native run"),
        FailureKind::Atomicity => Some("that a region was split does not stop a native run"),
        FailureKind::Uninitialised => Some("natively, uninitialised memory holds just some value"),
        _ => None,
    }
}
