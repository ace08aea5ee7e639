//! Runs a replay binary, and waits for what it says.

use crate::Error;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The runtime notices by itself when nobody can proceed; only a thread that loops without a point needs this.
const TIME_LIMIT: Duration = Duration::from_secs(60);
const FIRST_POLL: Duration = Duration::from_micros(500);
const LAST_POLL: Duration = Duration::from_millis(50);

const DEBUGGER: &str = "gdb";
/// The function of the runtime that is called when the run is over.
const OVER: &str = "ordain_replay_over";
/// Faults are the runtime's to deal with: it knows what they mean, and whether it is the thread's turn.
const FAULTS: &str = "SIGSEGV SIGBUS SIGFPE SIGABRT SIGILL";

/// Where the program's own output goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Output {
    Discard,
    /// To where ours goes.
    Pass,
}

/// A place for what a run reads and writes.
struct Session {
    _dir: tempfile::TempDir,
    plan: PathBuf,
    result: PathBuf,
}

impl Session {
    fn new(plan: &[u8]) -> std::io::Result<Session> {
        let dir = tempfile::tempdir()?;
        let session = Session { plan: dir.path().join("plan"), result: dir.path().join("result"), _dir: dir };
        std::fs::write(&session.plan, plan)?;
        std::fs::write(&session.result, "")?;
        Ok(session)
    }

    /// `program`, told what to follow and where to say how it ended.
    fn command(&self, program: &OsStr) -> Command {
        let mut command = Command::new(program);
        command.env("ORDAIN_PLAN", &self.plan).env("ORDAIN_RESULT", &self.result);
        command
    }
}

/// How a run ended, as seen from outside.
pub(crate) enum Said {
    /// The runtime's line.
    Line(String),
    /// The process was gone without one.
    Nothing(ExitStatus),
    /// The process had to be ended after so many seconds.
    TooLate(u64),
}

/// Runs `binary` with this plan.
pub(crate) fn run(binary: &Path, plan: &[u8], args: &[String], output: Output) -> Result<Said, Error> {
    let session = Session::new(plan).map_err(Error::Temporary)?;
    let sink = || if output == Output::Pass { Stdio::inherit() } else { Stdio::null() };
    let child = session
        .command(binary.as_os_str())
        .args(args)
        .stdin(Stdio::null())
        .stdout(sink())
        .stderr(sink())
        .spawn()
        .map_err(|source| Error::CannotStart { tool: binary.display().to_string(), source })?;
    let Some(status) = wait(child).map_err(Error::Temporary)? else { return Ok(Said::TooLate(TIME_LIMIT.as_secs())) };
    let line = std::fs::read_to_string(&session.result).map_err(Error::Temporary)?;
    Ok(if line.is_empty() { Said::Nothing(status) } else { Said::Line(line) })
}

/// What a debugger shows first, once the run is over.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Focus {
    /// The thread that was created as the nth, from 0 for the main thread.
    pub thread: usize,
    /// Its innermost function that is the user's, if it is in one.
    pub function: Option<String>,
}

/// How to run a program in gdb.
pub(crate) struct Debugging<'a> {
    pub binary: &'a Path,
    pub plan: &'a [u8],
    pub args: &'a [String],
    pub focus: &'a Focus,
    /// What the user wants gdb to be told, after the run.
    pub options: &'a [String],
}

/// Runs a replay binary in gdb, which stops where the run is over and then is the user's. How gdb ended.
pub(crate) fn debug(debugging: &Debugging<'_>) -> Result<ExitStatus, Error> {
    let session = Session::new(debugging.plan).map_err(Error::Temporary)?;
    let mut command = session.command(OsStr::new(DEBUGGER));
    command.env("ORDAIN_DEBUG", "1").arg("-q");
    let mut say = |line: &str| {
        command.args(["-ex", line]);
    };
    say(&format!("handle {FAULTS} nostop noprint pass"));
    say(&format!("break {OVER}"));
    say("run");
    say(&format!("thread {}", debugging.focus.thread + 1));
    if let Some(function) = &debugging.focus.function {
        say(&format!("frame function {function}"));
    }
    command.args(debugging.options).arg("--args").arg(debugging.binary).args(debugging.args);
    command.status().map_err(|source| Error::CannotStart { tool: DEBUGGER.to_owned(), source })
}

/// Waits for the child's end; `None` if it took too long.
fn wait(mut child: Child) -> std::io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    let mut pause = FIRST_POLL;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > TIME_LIMIT {
            // It may have ended just now; either way it is gone after this.
            let _ = child.kill();
            let _ = child.wait();
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (2 * pause).min(LAST_POLL);
    }
}

/// Runs a tool that must succeed; its words if it does not.
pub(crate) fn tool(name: &str, args: &[&OsStr]) -> Result<(), Error> {
    let output = Command::new(name)
        .args(args)
        .stdin(Stdio::null())
        .output()
        .map_err(|source| Error::CannotStart { tool: name.to_owned(), source })?;
    if output.status.success() {
        return Ok(());
    }
    Err(Error::Link(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
}
