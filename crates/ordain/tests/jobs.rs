//! Searches that share the work come to what one comes to alone.

mod support;

use ordain_model::witness::Witness;
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use support::{Case, Claim};

/// So that a search which does not end fails its own test, and not all of them.
const MOST_SECONDS: &str = "120";

fn explore(file: &Path, jobs: &str, options: &[String]) -> (Value, Vec<Claim>) {
    let witnesses = tempfile::tempdir().expect("a temporary directory");
    let mut command = Command::new(env!("CARGO_BIN_EXE_ordain"));
    command.args(["explore", "--json", "--time", MOST_SECONDS, "--jobs", jobs, "-o"]).arg(witnesses.path());
    let output = command.arg(file).args(options).output().expect("ordain starts");
    let report: Result<Value, _> = serde_json::from_slice(&output.stdout);
    let report = report.unwrap_or_else(|e| panic!("{} has no report ({e}): {output:?}", file.display()));
    let claims = claims(&report);
    (report, claims)
}

/// What was found, apart from which of the threads that are concerned counts as the first.
fn claims(report: &Value) -> Vec<Claim> {
    let bugs = report["bugs"].as_array().expect("a list of bugs").iter();
    bugs.map(|bug| {
        let path = bug["witness"].as_str().expect("a bug has a witness");
        let witness: Witness = serde_json::from_slice(&std::fs::read(path).expect("a witness")).expect("a witness");
        Claim::of(witness.claim.failure().expect("a bug is a failure"))
    })
    .collect()
}

#[test]
fn a_team_knows_what_one_knows() {
    let all = std::env::var_os("ORDAIN_FUZZ_CASES").is_some();
    let cases = support::all_cases().into_iter().filter(|case| case.paths.is_none() && case.expected.is_some());
    for (i, case) in cases.enumerate().step_by(if all { 1 } else { 7 }) {
        let Case { name, file, expected: Some(expected), .. } = &case else { continue };
        let (report, found) = explore(file, if i % 2 == 0 { "2" } else { "3" }, &case.options());
        assert_eq!(report["verdict"], expected.verdict, "{name}: {report:#}");
        assert!(found.iter().all(|c| expected.bugs.iter().any(|e| e.matches(c))), "{name} has too much: {report:#}");
        assert!(expected.bugs.iter().all(|e| found.iter().any(|c| e.matches(c))), "{name} lacks something: {report:#}");
    }
}

#[test]
fn a_team_ends_when_it_should() {
    let endless = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ways_out/endless_bug.c");
    let (report, found) = explore(&endless, "3", &["--first".to_owned()]);
    assert_eq!(found.len(), 1, "{report}");
    let hard = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ways_out/hard_race.c");
    let (report, _) = explore(&hard, "3", &["--effort".to_owned(), "0".to_owned()]);
    assert_eq!(report["verdict"], "unknown", "{report}");
}
