//! Weak memory models at the command line: witnesses are reproduced natively, and recordings have store buffers.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn ordain(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ordain"));
    command.args(arguments);
    command
}

fn words(output: &Output) -> String {
    format!("{}\n{}{}", output.status, String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn litmus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/litmus").join(name)
}

#[test]
fn witnesses_are_reproduced_natively() {
    for (name, memory) in [("sb.c", "tso"), ("mp.c", "pso")] {
        let home = tempfile::tempdir().expect("a temporary directory");
        let mut command = ordain(&["explore", "--json", "--memory", memory, "-o"]);
        let output = command.arg(home.path()).arg(litmus(name)).output().expect("ordain runs");
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a report");
        let witness = report["bugs"][0]["witness"].as_str().expect("a witness");
        let output = ordain(&["replay", "--quiet", witness]).output().expect("ordain runs");
        assert_eq!(output.status.code(), Some(1), "{}", words(&output));
        assert!(words(&output).contains("natively: reproduced"), "{}", words(&output));
    }
}

#[test]
fn recordings_say_what_their_memory_was_and_are_followed() {
    for memory in ["tso", "pso"] {
        let home = tempfile::tempdir().expect("a temporary directory");
        let log = home.path().join("log");
        let mut command = ordain(&["record", "--memory", memory, "--seed", "7", "-o"]);
        let output = command.arg(&log).arg(litmus("mp-release-store.c")).output().expect("ordain runs");
        assert_eq!(output.status.code(), Some(0), "{}", words(&output));
        let run = std::fs::read(log.join("run.json")).expect("the run can be read");
        let run: serde_json::Value = serde_json::from_slice(&run).expect("the run is JSON");
        assert_eq!(run["memory"], memory);
        let output = ordain(&["follow"]).arg(&log).output().expect("ordain runs");
        assert_eq!(output.status.code(), Some(0), "{}", words(&output));
    }
}

#[test]
fn unknown_memory_models_are_errors_of_the_user() {
    let output = ordain(&["record", "--memory", "rc11"]).arg(litmus("sb.c")).output().expect("ordain runs");
    assert_eq!(output.status.code(), Some(2), "{}", words(&output));
}
