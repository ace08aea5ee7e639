//! Path classes: `--tests` writes one execution of each, which `replay` confirms, and `--paths=count` counts as many.

mod support;

use ordain_model::witness::{Claim, Witness};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use support::exploring::words;

fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs").join(name)
}

fn ordain(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ordain")).args(arguments).output().expect("ordain starts")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path of plain characters")
}

fn report(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("no report ({e}): {}", words(output)))
}

/// A directory with one test per path class.
struct Tests {
    directory: tempfile::TempDir,
    files: Vec<PathBuf>,
}

impl Tests {
    fn of(name: &str, options: &[&str]) -> Tests {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let (tests, file) = (directory.path().join("tests"), program(name));
        let mut arguments = vec!["explore", "--json", "-o", text(directory.path()), "--tests", text(&tests)];
        arguments.extend(options);
        arguments.push(text(&file));
        let report = report(&ordain(&arguments));
        let listed = report["tests"].as_array().unwrap_or_else(|| panic!("no tests: {report}"));
        assert_eq!(report["paths"], listed.len() as u64, "{report}");
        let files: Vec<PathBuf> =
            listed.iter().map(|t| PathBuf::from(t["witness"].as_str().expect("a file"))).collect();
        for (file, listed) in files.iter().zip(listed) {
            let kind = witness(file).claim.failure().map(|failure| failure.kind.name());
            assert_eq!(listed["failure"], Value::from(kind), "{}", file.display());
        }
        Tests { directory, files }
    }

    /// Replays a test, which must end as it says.
    fn replay(&self, file: &Path, way: &str) {
        let output = ordain(&["replay", "--quiet", way, text(file)]);
        let expected = match witness(file).claim {
            Claim::Failure(_) => 1,
            Claim::Exit { .. } => 0,
        };
        assert_eq!(output.status.code(), Some(expected), "{way} {}: {}", file.display(), words(&output));
        assert!(String::from_utf8_lossy(&output.stdout).contains(": reproduced, "), "{}", words(&output));
    }

    fn failing(&self) -> Vec<&PathBuf> {
        self.files.iter().filter(|file| witness(file).claim.failure().is_some()).collect()
    }
}

fn witness(file: &Path) -> Witness {
    let bytes = std::fs::read(file).expect("the test was written");
    ordain_model::witness_text::from_text(&bytes).expect("a test is a witness")
}

#[test]
fn every_class_has_a_test_that_goes_its_way() {
    let tests = Tests::of("micro.c", &["--check", "assertion", "--cflags", "-DK=2"]);
    assert_eq!(tests.files.len(), 28);
    let ways: BTreeSet<_> = tests.files.iter().map(|file| witness(file).path.expect("a test has a path")).collect();
    assert_eq!(ways.len(), 28);
    tests.files.iter().for_each(|file| tests.replay(file, "--vm"));
    let failing = tests.failing();
    assert_eq!(failing.len(), 1);
    for file in tests.files.iter().step_by(9).chain(failing) {
        tests.replay(file, "--native");
    }
}

#[test]
fn classes_that_end_badly_have_tests_that_do() {
    for (name, kind) in [("deadlock_self.c", "deadlock"), ("hang.c", "hang"), ("figure8.c", "assertion")] {
        let tests = Tests::of(name, &[]);
        let failing = tests.failing();
        let kinds: Vec<_> = failing.iter().map(|f| witness(f).claim.failure().map(|f| f.kind.name())).collect();
        assert!(kinds.contains(&Some(kind)), "{name}: {kinds:?}");
        for file in failing {
            tests.replay(file, "--vm");
            tests.replay(file, "--native");
        }
    }
}

#[test]
fn a_test_that_was_changed_is_refused_and_one_that_lies_is_not_confirmed() {
    let tests = Tests::of("figure8.c", &["--check", "assertion"]);
    let good = tests.files.iter().find(|f| witness(f).claim.failure().is_none()).expect("some classes end well");
    let whole = std::fs::read_to_string(good).expect("the test was written");
    let changed = tests.directory.path().join("changed.witness");
    for (bytes, word) in
        [(&whole[..whole.len() / 2], "not a witness"), (&whole.replace("\"status\": 0", "\"status\": 1"), "checksum")]
    {
        std::fs::write(&changed, bytes).expect("a file can be written");
        let output = ordain(&["replay", text(&changed)]);
        assert_eq!(output.status.code(), Some(2), "{}", words(&output));
        assert!(words(&output).contains(word), "{}", words(&output));
    }
    let other = tests.files.iter().find(|f| witness(f).path != witness(good).path).expect("there are other classes");
    let lies = [
        (Witness { claim: Claim::Exit { status: 1 }, ..witness(good) }, "status 0"),
        (Witness { path: witness(other).path, ..witness(good) }, "other branches"),
    ];
    for (lie, word) in lies {
        let sealed = ordain_model::witness_text::to_text(&lie).expect("has a text");
        std::fs::write(&changed, sealed).expect("a file can be written");
        let output = ordain(&["replay", "--vm", text(&changed)]);
        assert_eq!(output.status.code(), Some(3), "{}", words(&output));
        assert!(words(&output).contains(word), "{}", words(&output));
    }
    // Natively it is the schedule that shows whether the program goes the same way.
    let mut longer = witness(good);
    longer.execution.schedule.extend(longer.execution.schedule.last().cloned());
    let sealed = ordain_model::witness_text::to_text(&longer).expect("has a text");
    std::fs::write(&changed, sealed).expect("a file can be written");
    let output = ordain(&["replay", "--native", text(&changed)]);
    assert_eq!(output.status.code(), Some(3), "{}", words(&output));
    assert!(words(&output).contains("before the schedule was over"), "{}", words(&output));
}

#[test]
fn counting_comes_to_the_same_as_running() {
    let cases: Vec<_> = support::all_cases().into_iter().filter(|case| case.paths.is_some()).collect();
    assert!(cases.len() > 10);
    for case in cases {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let mut arguments = vec!["explore", "--json", "--paths=count", "-o", text(directory.path()), text(&case.file)];
        for (option, value) in [("--check", &case.check), ("--cflags", &case.cflags), ("--memory", &case.memory)] {
            arguments.extend(value.iter().flat_map(|value| [option, value.as_str()]));
        }
        let report = report(&ordain(&arguments));
        assert_eq!(report["paths"].as_u64(), case.paths, "{}: {report}", case.name);
    }
}

/// 6 * 2^K + 4 classes: more than anybody can run.
#[test]
fn paths_that_multiply_are_not_gone_through() {
    let file = program("micro.c");
    for (threads, paths) in [("-DK=20", Value::from(6_291_460)), ("-DK=64", Value::from("110680464442257309700"))] {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let arguments = ["explore", "--json", "--paths=count", "--check", "assertion", "--cflags", threads];
        let output = ordain(&[&arguments[..], &["-o", text(directory.path()), text(&file)]].concat());
        let report = report(&output);
        assert_eq!(report["paths"], paths, "{report}");
        assert!(report["runs"].as_u64().is_some_and(|runs| runs < 100), "{report}");
    }
}

#[test]
fn what_does_not_go_together_is_refused() {
    let file = program("figure8.c");
    let refused = [
        (&["--paths=count", "--tests", "t"][..], "--tests"),
        (&["--paths=some"], "run, count"),
        (&["--tests", "t", "--jobs", "2"], "--jobs"),
        (&["--paths", "--resume", "r"], "--resume"),
    ];
    for (options, word) in refused {
        let output = ordain(&[&["explore"], options, &[text(&file)]].concat());
        assert_eq!(output.status.code(), Some(2), "{options:?}: {}", words(&output));
        assert!(words(&output).contains(word), "{options:?}: {}", words(&output));
    }
}
