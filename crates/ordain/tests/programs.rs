//! Explores every program of `tests/programs` and compares what comes out with what its first lines expect
//! (see `support`).
//!
//! Every bug's witness is replayed, in the machine and, where a native process can show the bug, natively. Every safe
//! program is audited by random runs.

mod support;

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use support::exploring::{Effort, Explored, explore, replay, words};
use support::{Case, Claim, Expectation};

const AUDIT_RUNS: u32 = 200;
/// So that a search which does not end fails its own test, and not all of them.
const MOST_SECONDS: u32 = 120;

fn main() {
    let arguments = Arguments::from_args();
    let trials = support::all_cases().into_iter().map(|case| {
        let name = case.name.clone();
        Trial::test(name, move || check(&case))
    });
    libtest_mimic::run(&arguments, trials.collect()).exit();
}

fn check(case: &Case) -> Result<(), Failed> {
    let Expectation { verdict, exit_code, bugs: expected } =
        case.expected.as_ref().ok_or("the header has no `explore:` line")?;
    let witnesses = tempfile::tempdir()?;
    let effort = Effort { seconds: MOST_SECONDS, audit: (verdict == "safe").then_some(AUDIT_RUNS), paths: false };
    let Explored { output, report, bugs: found } = &explore(case, &effort, witnesses.path())?;
    let claims: Vec<&Claim> = found.iter().map(|bug| &bug.claim).collect();
    let missed: Vec<_> = expected.iter().filter(|e| !claims.iter().any(|c| e.matches(c))).collect();
    let unexpected: Vec<_> = claims.iter().filter(|c| !expected.iter().any(|e| e.matches(c))).collect();
    if !missed.is_empty() || !unexpected.is_empty() {
        return Err(format!("missed {missed:?}, not expected {unexpected:?}\n{report:#}").into());
    }
    if report["verdict"] != *verdict || output.status.code() != Some(*exit_code) {
        return Err(format!("expected {verdict}, exit code {exit_code}; got {}\n{report:#}", output.status).into());
    }
    if case.paths.is_some_and(|paths| report["paths"] != paths) {
        return Err(format!("expected {:?} paths\n{report:#}", case.paths).into());
    }
    if case.most_runs.is_some_and(|most| report["runs"].as_u64().is_none_or(|runs| runs > most)) {
        return Err(format!("expected at most {:?} runs\n{report:#}", case.most_runs).into());
    }
    if case.reason.as_ref().is_some_and(|words| !report["reason"].to_string().contains(words)) {
        return Err(format!("expected the reason {:?}\n{report:#}", case.reason).into());
    }
    if case.unproved.as_ref().is_some_and(|unproved| *unproved != left_open(report))
        || (verdict == "safe") != left_open(report).is_empty() && verdict != "bug"
    {
        return Err(format!("expected {:?} to stay unproved\n{report:#}", case.unproved).into());
    }
    if case.assumes.as_ref().is_some_and(|words| !report["assumptions"].to_string().contains(words)) {
        return Err(format!("expected the assumption {:?}\n{report:#}", case.assumes).into());
    }
    if case.stack.as_ref().is_some_and(|functions| *functions != first_stack(report)) {
        return Err(format!("expected the stack {:?}\n{report:#}", case.stack).into());
    }
    found.iter().try_for_each(replay)?;
    if case.same_natively { ["-O0", "-O2"].iter().try_for_each(|level| compare_natively(case, level)) } else { Ok(()) }
}

fn compare_natively(case: &Case, level: &str) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let executable = directory.path().join("program");
    let flags = format!("{level} -w -pthread {}", case.cflags.as_deref().unwrap_or_default());
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../include");
    let mut compiler = Command::new("clang-22");
    compiler.args(flags.split_whitespace()).arg("-I").arg(include).arg(&case.file).arg("-o").arg(&executable);
    let compiled = compiler.output()?;
    if !compiled.status.success() {
        return Err(words(&compiled).into());
    }
    let arguments: Vec<&str> = case.args.iter().flat_map(|args| args.split_whitespace()).collect();
    let native = Command::new(&executable).args(&arguments).output()?;
    for schedule in [&["--round-robin"][..], &["--random", "3"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ordain"));
        command.arg("run").args(schedule).arg("--cflags").arg(&flags).arg(&case.file).arg("--").args(&arguments);
        let output = command.output()?;
        let ended = if native.status.success() { Some(0) } else { output.status.code() };
        if output.stdout != native.stdout || output.status.code() != ended {
            return Err(format!("{level} {schedule:?}: {}natively: {}", words(&output), words(&native)).into());
        }
    }
    Ok(())
}

/// What the report calls unproved, as `KIND:LINE`.
fn left_open(report: &Value) -> Vec<String> {
    let unproved = report["unproved"].as_array().map_or(&[][..], |unproved| unproved);
    unproved.iter().map(|open| format!("{}:{}", open["kind"].as_str().unwrap_or_default(), open["line"])).collect()
}

/// The functions that the first bug's thread is in.
fn first_stack(report: &Value) -> String {
    let frames = report["bugs"][0]["stack"].as_array().map_or(&[][..], |frames| frames);
    frames.iter().filter_map(|frame| frame["function"].as_str()).collect::<Vec<_>>().join(" ")
}
