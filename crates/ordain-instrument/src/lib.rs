//! A program's canonical bitcode becomes a native executable: one that follows a witness, or (`record`) one that keeps a log.
//!
//! *Replay.* `rewrite` puts calls of the runtime (`ordain-rt`, embedded here as a static library) into the bitcode and generates
//! code; `plan` writes an execution down for the runtime; `run` runs the executable; `outcome` compares what happened with
//! the claim. Schedules count the points that are marked in the bitcode, so one means the same here and in the machine.
//!
//! *What is not the same.* Data races and uninitialised values show in the machine only, and store buffers cannot be
//! scheduled: a witness of a weak memory model is tried without them. That a loop never ends is seen only for a while.
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
pub use run::Output;

use outcome::Ending;
use record::RecordObject;
use rewrite::ReplayObject;
use run::Said;
use table::SiteTable;

use ordain_model::failure::FailureKind;
use ordain_model::witness::{Claim, Execution, MemoryModel};
use ordain_record::{FollowTable, Level};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

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

/// Builds the executable `out` that records at this level, from canonical bitcode and the hash of its build. Says what a follower of
/// its logs has to know.
pub fn build_recorder(bitcode: &[u8], build: [u8; 32], level: Level, out: &Path) -> Result<FollowTable, Error> {
    let RecordObject { object, table } = child::for_recording(bitcode, build, level)?;
    link(&object, RECORDER, out)?;
    Ok(table)
}

/// The variable that tells a recording executable the directory of its log.
pub const LOG_VARIABLE: &str = "ORDAIN_LOG";

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
        args: &[String],
        claim: &Claim,
        output: Output,
    ) -> Result<NativeOutcome, Error> {
        if let Some(why) = claim.failure().and_then(|failure| cannot_show(failure.kind)) {
            return Ok(NativeOutcome::CannotShow { why: why.to_owned() });
        }
        let instead = match run::run(&self.path, &plan::encode(execution, claim), args, output)? {
            Said::Nothing(status) => format!("the process was gone without a word ({status})"),
            Said::TooLate(seconds) => format!("a thread ran for {seconds} seconds without reaching a point"),
            Said::Line(line) => match outcome::parse(&line, &self.sites)? {
                Ending::GaveUp { why } => return Ok(NativeOutcome::CannotShow { why }),
                ending if ending.shows(claim) => return Ok(NativeOutcome::Reproduced),
                ending => ending.describe(),
            },
        };
        Ok(match execution.memory {
            MemoryModel::Sc => NativeOutcome::NotReproduced { instead },
            // Without its store buffers the schedule may still fail as claimed, so it was worth a try.
            _ => NativeOutcome::CannotShow { why: format!("store buffers cannot be scheduled natively ({instead})") },
        })
    }

    /// Lets the program follow `execution` in gdb, which stops where it fails, with all threads in place. Returns when
    /// the user leaves gdb.
    pub fn debug(&self, execution: &Execution, args: &[String], claim: &Claim) -> Result<(), Error> {
        run::debug(&self.path, &plan::encode(execution, claim), args)
    }
}

/// Builds a replay executable in a temporary place and runs it once.
pub fn replay(bitcode: &[u8], execution: &Execution, args: &[String], claim: &Claim) -> Result<NativeOutcome, Error> {
    if let Some(why) = claim.failure().and_then(|failure| cannot_show(failure.kind)) {
        return Ok(NativeOutcome::CannotShow { why: why.to_owned() });
    }
    let dir = tempfile::tempdir().map_err(Error::Temporary)?;
    build_replay(bitcode, &dir.path().join("replay"))?.run(execution, args, claim, Output::Discard)
}

/// Why no native run can show a failure of this kind, if none can.
pub fn cannot_show(kind: FailureKind) -> Option<&'static str> {
    match kind {
        FailureKind::Race => Some("a data race does not stop a native run"),
        FailureKind::Uninitialised => Some("natively, uninitialised memory holds just some value"),
        _ => None,
    }
}
