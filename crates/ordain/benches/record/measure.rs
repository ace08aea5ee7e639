//! Running a program in every way, in turn, and following its logs.

use super::Failure;
use super::build::Built;
use super::programs::{Nature, Program};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const ORDAIN: &str = env!("CARGO_BIN_EXE_ordain");
/// How often everything is run, unless `ORDAIN_RECORD_TIMES` says otherwise.
const TIMES: u32 = 5;

/// What takes less than this is not told from what starting a process takes.
const LEAST_SECONDS: f64 = 0.02;

/// The processor times of one program, in seconds.
#[derive(Default)]
pub struct Times(Vec<f64>);

impl Times {
    fn add(&mut self, seconds: f64) {
        self.0.push(seconds);
        self.0.sort_by(f64::total_cmp);
    }

    /// Not the least: of a program whose threads use the same lines of memory, that is the run in which they hardly met.
    pub fn median(&self) -> f64 {
        self.0[self.0.len() / 2]
    }
}

#[derive(Default)]
pub struct Recorded {
    pub times: Times,
    pub log_bytes: u64,
}

#[derive(Default)]
pub struct Measured {
    pub clang: Times,
    pub tsan: Times,
    pub paths: Recorded,
    pub addresses: Recorded,
    pub leap: Recorded,
    /// How many logs were followed, and how many decisions they had.
    pub followed: u32,
    pub decisions: u64,
    /// Whether its ratios mean anything.
    pub counts: bool,
}

pub fn measure(program: &Program, built: &Built, home: &Path) -> Result<Measured, Failure> {
    let paths = Recorder::new(program, built, home, "paths")?;
    let addresses = Recorder::new(program, built, home, "addresses")?;
    let leap_log = home.join("leap.log");
    let times = std::env::var("ORDAIN_RECORD_TIMES").ok().and_then(|n| n.parse().ok()).unwrap_or(TIMES);
    let mut all = Measured::default();
    for _ in 0..times {
        all.clang.add(time(program, Command::new(&built.clang).args(&built.args))?);
        for (recorder, recorded) in [(&paths, &mut all.paths), (&addresses, &mut all.addresses)] {
            recorded.times.add(recorder.time(program, built)?);
            recorded.log_bytes = recorder.log_bytes;
            all.decisions += recorder.follow(program)?;
            all.followed += 1;
        }
        // A race ends nothing, and its reports are not what is measured.
        let options = "report_bugs=0 exitcode=0";
        all.tsan.add(time(program, Command::new(&built.tsan).args(&built.args).env("TSAN_OPTIONS", options))?);
        let mut leap = Command::new(&built.leap);
        all.leap.times.add(time(program, leap.args(&built.args).env("LEAP_LOG", &leap_log))?);
        all.leap.log_bytes = std::fs::metadata(&leap_log).map_or(0, |file| file.len());
    }
    all.counts = all.clang.median() >= LEAST_SECONDS;
    Ok(all)
}

/// A program with its recording code, made once by `ordain record`, and where it leaves its logs.
struct Recorder {
    executable: PathBuf,
    log: PathBuf,
    /// As it is before a run has ended.
    run: String,
    log_bytes: u64,
}

impl Recorder {
    fn new(program: &Program, built: &Built, home: &Path, level: &str) -> Result<Recorder, Failure> {
        let first = home.join(format!("first-{level}"));
        let mut command = Command::new(ORDAIN);
        command.args(["record", "--json", "--log", level]).arg(&built.ordain).arg("-o").arg(&first);
        let output = command.arg("--").args(&built.args).stdin(Stdio::null()).stderr(Stdio::null()).output()?;
        let report: Value = serde_json::from_slice(&output.stdout).map_err(|e| format!("{}: {e}", program.name))?;
        let log_bytes = report["stats"]["log_bytes"].as_u64().ok_or_else(|| report.to_string())?;
        let mut run: Value = serde_json::from_str(&std::fs::read_to_string(first.join("run.json"))?)?;
        run["ending"] = Value::Null;
        run["checksums"] = Value::Object(Default::default());
        let executable = home.join(format!("recorder-{level}"));
        std::fs::rename(first.join("executable"), &executable)?;
        std::fs::remove_dir_all(&first)?;
        Ok(Recorder { executable, log: home.join(format!("{level}.log")), run: run.to_string(), log_bytes })
    }

    fn time(&self, program: &Program, built: &Built) -> Result<f64, Failure> {
        if self.log.exists() {
            std::fs::remove_dir_all(&self.log)?;
        }
        std::fs::create_dir(&self.log)?;
        std::fs::write(self.log.join("run.json"), &self.run)?;
        time(program, Command::new(&self.executable).args(&built.args).env("ORDAIN_LOG", &self.log))
    }

    /// Follows the last log, which every thread must have come to the end of; how many decisions it had.
    fn follow(&self, program: &Program) -> Result<u64, Failure> {
        let output = Command::new(ORDAIN).args(["follow", "--json"]).arg(&self.log).output()?;
        let report: Value = serde_json::from_slice(&output.stdout)
            .map_err(|_| format!("{}: {}", program.name, String::from_utf8_lossy(&output.stderr)))?;
        let stats = &report["stats"];
        if stats["ended"] != stats["threads"] {
            return Err(format!("{}: not all threads were followed to their end: {report}", program.name).into());
        }
        stats["recorded"].as_u64().ok_or_else(|| report.to_string().into())
    }
}

/// The processor time of a run, in seconds.
fn time(program: &Program, command: &mut Command) -> Result<f64, Failure> {
    let before = time_of_children();
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    let seconds = (time_of_children() - before).as_secs_f64();
    if program.nature != Nature::MayFail && !status.success() {
        Err(format!("{command:?}: {status}").into())
    } else {
        Ok(seconds)
    }
}

/// Of those that have ended.
fn time_of_children() -> Duration {
    // SAFETY: the structure is plain numbers, and the system fills it in.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage);
        usage
    };
    let duration = |t: libc::timeval| Duration::new(t.tv_sec as u64, t.tv_usec as u32 * 1000);
    duration(usage.ru_utime) + duration(usage.ru_stime)
}
