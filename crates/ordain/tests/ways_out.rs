//! Every way in which a search can end without having looked at everything: never `safe`, exit code 3, and a reason that
//! names it. (What needs neither time nor signals has a program of its own in `tests/programs`.)

mod support;

use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Explores a program of `tests`; returns the exit code and the report.
fn explore(program: &str, options: &[&str]) -> (Option<i32>, Value) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(program);
    let witnesses = tempfile::tempdir().expect("a temporary directory");
    let mut command = Command::new(env!("CARGO_BIN_EXE_ordain"));
    command.args(["explore", "--json", "-o"]).arg(witnesses.path()).args(options).arg(file);
    let output = command.output().expect("ordain starts");
    let report = serde_json::from_slice(&output.stdout);
    (output.status.code(), report.unwrap_or_else(|e| panic!("{program} has no report ({e}): {output:?}")))
}

/// The search must end unfinished, with this verdict, these words in the reason, and something unproved of this kind.
fn is_unfinished(program: &str, options: &[&str], verdict: &str, reason: &str, unproved: &str) {
    let (code, report) = explore(program, options);
    assert_eq!(code, Some(3), "{program} {options:?}: {report}");
    assert_eq!(report["verdict"], verdict, "{program} {options:?}: {report}");
    assert!(report["reason"].as_str().is_some_and(|r| r.contains(reason)), "{program} {options:?}: {report}");
    let listed = report["unproved"].as_array().expect("a list of what is unproved");
    assert!(
        listed.iter().any(|open| open["kind"] == unproved),
        "{program} {options:?} should list {unproved}: {report}"
    );
}

#[test]
fn time() {
    is_unfinished("programs/peterson.c", &["--time", "0"], "unknown", "the time is over", "path");
    // All of it was asked, but the audit is not over.
    let (code, report) = explore("ways_out/hard_race.c", &["--time", "2", "--audit", "1000000"]);
    assert_eq!((code, &report["reason"]), (Some(3), &Value::from("the time is over")), "{report}");
    is_unfinished("ways_out/hard_race.c", &["--time", "0"], "unknown", "the time is over", "race");
    is_unfinished("ways_out/hard_deadlock.c", &["--time", "0"], "unknown", "the time is over", "stuck");
}

#[test]
fn effort() {
    let none = ["--effort", "0"];
    is_unfinished("programs/peterson.c", &none, "unknown", "the solver gave up", "path");
    is_unfinished(
        "ways_out/hard_race.c",
        &["--effort", "0", "--check", "race"],
        "unknown",
        "the solver gave up",
        "race",
    );
    is_unfinished("ways_out/hard_deadlock.c", &none, "unknown", "the solver gave up", "stuck");
    // They are safe: it was the effort alone.
    for program in ["programs/peterson.c", "ways_out/hard_race.c", "ways_out/hard_deadlock.c"] {
        let (code, report) = explore(program, &["--effort", "1000000"]);
        assert_eq!((code, &report["verdict"]), (Some(0), &Value::from("safe")), "{program}: {report}");
    }
}

#[test]
fn bounds() {
    is_unfinished("programs/unrolled.c", &["--unroll", "2"], "bounded", "a loop was cut after 2 rounds", "bound");
    is_unfinished("programs/unrolled_recursion.c", &["--unroll", "2"], "bounded", "the recursion of sum", "bound");
    is_unfinished("programs/layout.c", &[], "bounded", "where objects lie in memory", "bound");
}

#[test]
fn what_has_no_model() {
    is_unfinished("programs/no_model.c", &[], "unknown", "frobnicate has no model", "unsupported");
    is_unfinished("ways_out/floating_point.c", &[], "unknown", "floating point", "unsupported");
    let weak = ["--memory", "tso", "--cflags", "-DWHOLE"];
    is_unfinished("programs/atomic_section.c", &weak, "unknown", "sequential consistency only", "unsupported");
    is_unfinished("programs/assembly_unknown.c", &[], "unknown", "assembly", "unsupported");
    is_unfinished("programs/jump.c", &[], "unknown", "jmp", "unsupported");
}

#[test]
fn every_assumption_has_a_program_that_is_wrong_without_it() {
    let tested: Vec<String> = support::all_cases().into_iter().filter_map(|case| case.assumes).collect();
    let mut listed = 0;
    let waits = "programs/condition.c";
    for (program, options) in [(waits, &[][..]), (waits, &["--no-spurious"]), ("programs/assumes_weak_exchange.c", &[])]
    {
        let (_, report) = explore(program, options);
        for assumption in report["assumptions"].as_array().expect("a list of assumptions") {
            let words = assumption.as_str().expect("an assumption in words");
            assert!(tested.iter().any(|tested| words.contains(tested)), "no program assumes that {words}");
            listed += 1;
        }
    }
    assert!(listed > 2);
}
