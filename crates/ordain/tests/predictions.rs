//! Predicts from a run of every program of `tests/predicted` and `bench/predicted`, and compares what comes out with what its first lines
//! expect (see `support`). Every prediction is replayed.

mod support;

use libtest_mimic::{Arguments, Failed, Trial};
use std::process::Command;
use support::exploring::replay;
use support::predicting::{Predicted, predict};
use support::{Case, Claim, cases_in};

/// Cases that are also recorded natively and predicted from the log.
const RECORDED: [&str; 3] = ["update/load-store", "update/locked", "two_sections/two-sections"];
/// So that a search which does not end fails its own test, and not all of them.
const MOST_SECONDS: u32 = 120;

fn main() {
    let arguments = Arguments::from_args();
    let cases = ["tests/predicted", "bench/predicted"].into_iter().flat_map(cases_in);
    let mut trials: Vec<Trial> = cases.map(|case| Trial::test(case.name.clone(), move || check(&case))).collect();
    // Whatever order its threads run in natively, these come to their end by the same ways.
    let recorded = cases_in("tests/predicted").into_iter().filter(|case| RECORDED.contains(&case.name.as_str()));
    trials.extend(recorded.map(|case| Trial::test(format!("recorded/{}", case.name), move || check_recorded(&case))));
    libtest_mimic::run(&arguments, trials).exit();
}

/// Records the program natively, and predicts from the log.
fn check_recorded(case: &Case) -> Result<(), Failed> {
    let home = tempfile::tempdir()?;
    let log = home.path().join("log");
    let mut command = Command::new(env!("CARGO_BIN_EXE_ordain"));
    command.arg("record").arg(&case.file).arg("-o").arg(&log);
    command.args(case.cflags.iter().flat_map(|flags| ["--cflags", flags]));
    let output = command.output()?;
    if output.status.code() != Some(0) {
        return Err(format!("it was not recorded: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    check(&Case { file: log, cflags: None, ..case.clone() })
}

fn check(case: &Case) -> Result<(), Failed> {
    if case.predicted.is_none() && case.violations.is_none() {
        return Err("the header has neither a `predict:` nor a `violations:` line".into());
    }
    let witnesses = tempfile::tempdir()?;
    let Predicted { exit_code, report, bugs } = predict(case, MOST_SECONDS, witnesses.path())?;
    let found: Vec<&Claim> = bugs.iter().map(|bug| &bug.claim).collect();
    if let Some(expected) = &case.predicted {
        let missed: Vec<_> = expected.iter().filter(|e| !found.iter().any(|c| e.matches(c))).collect();
        let unexpected: Vec<_> = found.iter().filter(|c| !expected.iter().any(|e| e.matches(c))).collect();
        if !missed.is_empty() || !unexpected.is_empty() {
            return Err(format!("missed {missed:?}, not expected {unexpected:?}\n{report:#}").into());
        }
    }
    if let Some(expected) = &case.violations {
        let counted = report["stats"]["violations"].as_u64().unwrap_or_default();
        let is_right = if expected == "some" { counted > 0 } else { *expected == counted.to_string() };
        if !is_right {
            return Err(format!("{counted} violations instead of {expected}\n{report:#}").into());
        }
    }
    let expected_code = if found.is_empty() { 0 } else { 1 };
    if exit_code != Some(expected_code) {
        return Err(format!("it ended with {exit_code:?} instead of {expected_code}\n{report:#}").into());
    }
    bugs.iter().try_for_each(replay)
}
