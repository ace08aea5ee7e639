//! Runs a replay binary, and waits for what it says.

use crate::Error;
use std::ffi::OsStr;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The runtime notices by itself when nobody can proceed; only a thread that loops without a point needs this.
const TIME_LIMIT: Duration = Duration::from_secs(60);
const FIRST_POLL: Duration = Duration::from_micros(500);
const LAST_POLL: Duration = Duration::from_millis(50);

/// What programs find as their own name, in the machine as well.
const PROGRAM_NAME: &str = "program";

/// Where the program's own output goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Output {
    Discard,
    /// To where ours goes.
    Pass,
}

/// The runtime's line about a run of `binary` with this plan.
pub(crate) fn run(binary: &Path, plan: &[u8], args: &[String], output: Output) -> Result<String, Error> {
    let dir = tempfile::tempdir().map_err(Error::Temporary)?;
    let (plan_file, result_file) = (dir.path().join("plan"), dir.path().join("result"));
    std::fs::write(&plan_file, plan).map_err(Error::Temporary)?;
    std::fs::write(&result_file, "").map_err(Error::Temporary)?;
    let sink = || if output == Output::Pass { Stdio::inherit() } else { Stdio::null() };
    let child = Command::new(binary)
        .arg0(PROGRAM_NAME)
        .args(args)
        .env("ORDAIN_PLAN", plan_file.as_os_str())
        .env("ORDAIN_RESULT", result_file.as_os_str())
        .stdin(Stdio::null())
        .stdout(sink())
        .stderr(sink())
        .spawn()
        .map_err(|source| Error::CannotStart { tool: binary.display().to_string(), source })?;
    let status = wait(child)?;
    let line = std::fs::read_to_string(&result_file).map_err(Error::Temporary)?;
    if line.is_empty() { Err(Error::Runtime(format!("it ended without a word ({status})"))) } else { Ok(line) }
}

fn wait(mut child: Child) -> Result<ExitStatus, Error> {
    let start = Instant::now();
    let mut pause = FIRST_POLL;
    loop {
        if let Some(status) = child.try_wait().map_err(Error::Temporary)? {
            return Ok(status);
        }
        if start.elapsed() > TIME_LIMIT {
            // It may have ended just now; either way it is gone after this.
            let _ = child.kill();
            let _ = child.wait();
            return Err(Error::TimedOut(TIME_LIMIT.as_secs()));
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
