//! How long it takes to reproduce longer and longer runs, and how much memory.

use super::{Failure, ORDAIN, record};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const PROGRAMS: [&str; 3] = ["counters", "bank", "queue"];
/// Rounds of each: from a thousand points or so to more than a hundred thousand.
const ROUNDS: [u32; 5] = [60, 200, 600, 2000, 6000];
const LEVELS: [&str; 2] = ["addresses", "paths"];

pub fn measure(root: &Path) -> Result<(), Failure> {
    println!(
        "\n{:<10} {:<10} {:>8} {:>8} {:>9} {:>12} {:>8}",
        "", "--log", "points", "seconds", "memory", "preemptions", "switches"
    );
    for program in PROGRAMS {
        for level in LEVELS {
            for rounds in ROUNDS {
                row(root, program, level, rounds)?;
            }
        }
    }
    Ok(())
}

fn row(root: &Path, program: &str, level: &str, rounds: u32) -> Result<(), Failure> {
    let home = tempfile::tempdir()?;
    let file = root.join("bench/scale").join(format!("{program}.c"));
    let log = record(&file, home.path(), |command| {
        command.args(["--log", level, "--cflags", &format!("-DROUNDS={rounds}")]);
    })?;
    let start = Instant::now();
    let mut command = Command::new(ORDAIN);
    command.args(["reproduce", "--json", "--no-native", "-o"]).arg(home.path()).arg(&log);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let status = format!("/proc/{}/status", child.id());
    let mut most_kilobytes = 0;
    while child.try_wait()?.is_none() {
        most_kilobytes = peak_of(&status).unwrap_or(0).max(most_kilobytes);
        std::thread::sleep(Duration::from_millis(5));
    }
    let seconds = start.elapsed().as_secs_f64();
    let report: Value = serde_json::from_slice(&child.wait_with_output()?.stdout)?;
    let number = |name: &str| report["stats"][name].as_u64().unwrap_or_default();
    let (found, least) = (number("preemptions"), number("preemptions_at_least"));
    let preemptions = match report["bugs"][0].is_null() {
        true => "not found".to_owned(),
        false if found == least => format!("{found}"),
        false => format!("{least} to {found}"),
    };
    println!(
        "{program:<10} {level:<10} {:>8} {seconds:>8.2} {:>6} MB {preemptions:>12} {:>8}",
        number("points"),
        most_kilobytes / 1000,
        number("switches")
    );
    Ok(())
}

/// The most memory that a process has had so far, in kilobytes.
fn peak_of(status: &str) -> Option<u64> {
    let text = std::fs::read_to_string(status).ok()?;
    let line = text.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
