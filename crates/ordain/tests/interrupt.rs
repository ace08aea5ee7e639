//! Ctrl-C: the search ends with what is known, and says that this is not all.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

/// Long enough for a search to be in the middle of something; nothing depends on how long it is.
const A_WHILE: Duration = Duration::from_millis(300);

fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ways_out").join(name)
}

/// Whether the process has handlers for the signals that end it. Before that they just end it.
fn handles_signals(child: &Child) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let mask = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    let terminate = 15;
    mask >> (terminate - 1) & 1 == 1
}

fn interrupted(name: &str, signal: &str, witnesses: &Path) -> (Output, Value) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ordain"));
    command.args(["explore", "--json", "-o"]).arg(witnesses).arg(program(name));
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("ordain starts");
    while !handles_signals(&child) {
        if let Some(status) = child.try_wait().expect("a child can be asked") {
            panic!("{name} ended before it was interrupted: {status}");
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(A_WHILE);
    let sent = Command::new("kill").arg(signal).arg(child.id().to_string()).status().expect("kill starts");
    assert!(sent.success());
    let output = child.wait_with_output().expect("a child ends");
    let report = serde_json::from_slice(&output.stdout);
    let report = report.unwrap_or_else(|e| panic!("{name} has no report ({e}): {output:?}"));
    (output, report)
}

#[test]
fn an_interrupted_search_is_not_finished() {
    let witnesses = tempfile::tempdir().expect("a temporary directory");
    for (name, signal) in [("endless.c", "-INT"), ("endless.c", "-TERM"), ("busy.c", "-INT")] {
        let (output, report) = interrupted(name, signal, witnesses.path());
        assert_eq!(output.status.code(), Some(3), "{name} {signal}: {output:?}");
        assert_eq!(report["verdict"], "unknown", "{name}: {report}");
        assert_eq!(report["reason"], "interrupted", "{name}: {report}");
    }
}

#[test]
fn what_was_found_before_is_reported() {
    let witnesses = tempfile::tempdir().expect("a temporary directory");
    let (output, report) = interrupted("endless_bug.c", "-INT", witnesses.path());
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(report["verdict"], "bug", "{report}");
    let witness = report["bugs"][0]["witness"].as_str().expect("a bug has a witness");
    let replayed = Command::new(env!("CARGO_BIN_EXE_ordain"))
        .args(["replay", "--vm", "--quiet", witness])
        .output()
        .expect("replay");
    assert_eq!(replayed.status.code(), Some(1), "{replayed:?}");
}
