//! Searches that are killed, at any moment, and taken up again: in the end they know what an undisturbed one knows, and what
//! was written down is never looked for a second time.

mod support;

use ordain_model::journal_text::{self, Journal};
use serde_json::Value;
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// So that a search which does not end fails its own test, and not all of them.
const MOST_SECONDS: &str = "120";

const KILLS: u32 = 10;
/// More add nothing but time, however many random programs other tests are asked for.
const MOST_KILLS: u32 = 200;

fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ways_out").join(name)
}

fn explore(directory: &Path, options: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ordain"));
    command.args(["explore", "--json", "-o"]).arg(directory.join("witnesses"));
    command.arg("--resume").arg(directory.join("state")).args(options);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn journal(directory: &Path) -> Journal {
    let text = std::fs::read(directory.join("state/journal")).expect("a journal can be read");
    journal_text::from_text(&text).expect("a journal is never damaged")
}

fn report(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("no report ({e}): {output:?}"))
}

/// The verdict, and what was found.
fn known(report: &Value) -> (String, BTreeSet<(String, u64)>) {
    let bugs = report["bugs"].as_array().expect("a list of bugs").iter();
    let claim = |bug: &Value| (bug["kind"].to_string(), bug["line"].as_u64().unwrap_or(0));
    (report["verdict"].to_string(), bugs.map(claim).collect())
}

/// Waits for some time; says how the process ended, if it did, and kills it otherwise.
fn wait_or_kill(mut child: Child, time: Duration) -> Option<Output> {
    let start = Instant::now();
    while start.elapsed() < time {
        if child.try_wait().expect("a child can be asked").is_some() {
            return Some(child.wait_with_output().expect("a child has output"));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().expect("a child can be killed");
    let output = child.wait_with_output().expect("a child has output");
    output.status.code().map(|_| output)
}

/// Draws numbers; the moments differ from one run of the test to the next anyway.
struct Moments(u64);

impl Moments {
    fn next(&mut self, most: Duration) -> Duration {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        most.mul_f64((self.0 >> 40) as f64 / (1 << 24) as f64)
    }
}

/// Searches again and again in one directory, killing all but the last; returns how often that was.
fn search_with_kills(moments: &mut Moments, most: Duration, expected: &(String, BTreeSet<(String, u64)>)) -> u32 {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut kills = 0;
    let mut runs = Vec::new();
    loop {
        let mut command = explore(directory.path(), &[]);
        let child = command.arg(program("resumed.c")).spawn().expect("ordain starts");
        let ended = wait_or_kill(child, moments.next(most));
        if directory.path().join("state/journal").exists() {
            let now = journal(directory.path()).runs;
            assert!(now.starts_with(&runs), "a run that was written down is lost");
            let distinct: HashSet<String> = now.iter().map(|run| format!("{run:?}")).collect();
            assert_eq!(distinct.len(), now.len(), "a run was made twice");
            if let Some(output) = &ended {
                let report = report(output);
                assert_eq!(known(&report), *expected, "after {kills} kills: {report}");
                assert_eq!(report["runs"].as_u64(), Some(now.len() as u64), "{report}");
                assert_eq!(report["stats"]["resumed"].as_u64(), Some(runs.len() as u64), "{report}");
                return kills;
            }
            runs = now;
        } else {
            assert!(ended.is_none(), "a search ended without a journal: {ended:?}");
        }
        kills += 1;
    }
}

#[test]
fn a_killed_search_comes_to_the_same_end() {
    let cases: u32 = std::env::var("ORDAIN_FUZZ_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(KILLS);
    let directory = tempfile::tempdir().expect("a temporary directory");
    let start = Instant::now();
    let undisturbed = explore(directory.path(), &[]).arg(program("resumed.c")).output().expect("ordain starts");
    let time = start.elapsed();
    let expected = known(&report(&undisturbed));
    assert_eq!(expected.0, "\"bug\"", "{undisturbed:?}");
    assert!(expected.1.len() > 2, "{expected:?}");
    let (mut moments, mut kills) = (Moments(u64::from(std::process::id())), 0);
    while kills < cases.min(MOST_KILLS) {
        kills += search_with_kills(&mut moments, time, &expected);
    }
}

#[test]
fn a_finished_search_needs_no_run_to_say_it_again() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let first = explore(directory.path(), &[]).arg(program("resumed.c")).output().expect("ordain starts");
    let runs = journal(directory.path()).runs;
    let second = explore(directory.path(), &[]).arg(program("resumed.c")).output().expect("ordain starts");
    assert_eq!(known(&report(&first)), known(&report(&second)));
    assert_eq!(journal(directory.path()).runs, runs);
}

/// Every kind of turn and of failure is in some journal: what is run again must be what was run before.
#[test]
fn every_program_is_known_as_well_from_its_journal() {
    let all = std::env::var_os("ORDAIN_FUZZ_CASES").is_some();
    let cases = support::all_cases().into_iter().filter(|case| case.paths.is_none() && case.expected.is_some());
    for case in cases.step_by(if all { 1 } else { 9 }) {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let search = || {
            let mut command = explore(directory.path(), &["--time", MOST_SECONDS]);
            let output = command.arg(&case.file).args(case.options()).output().expect("ordain starts");
            (known(&report(&output)), journal(directory.path()).runs)
        };
        let (first, second) = (search(), search());
        assert_eq!(first, second, "{}", case.name);
    }
}

#[test]
fn a_torn_end_is_cut_off() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let first = explore(directory.path(), &[]).arg(program("resumed.c")).output().expect("ordain starts");
    let path = directory.path().join("state/journal");
    let text = std::fs::read(&path).expect("a journal can be read");
    std::fs::write(&path, &text[..text.len() - 7]).expect("a journal can be written");
    let second = explore(directory.path(), &[]).arg(program("resumed.c")).output().expect("ordain starts");
    assert_eq!(known(&report(&first)), known(&report(&second)));
    let whole = journal(directory.path()).whole;
    assert_eq!(whole as u64, std::fs::metadata(&path).expect("a journal is a file").len());
}

/// The search must be refused, with these words, and the journal left as it is.
fn is_refused(directory: &Path, options: &[&str], name: &str, words: &str) {
    let path = directory.join("state/journal");
    let before = std::fs::read(&path).expect("a journal can be read");
    let output = explore(directory, options).arg(program(name)).output().expect("ordain starts");
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(message.contains(words) && message.contains("another directory"), "{message}");
    assert_eq!(std::fs::read(&path).expect("a journal can be read"), before);
}

#[test]
fn a_journal_of_another_search_is_refused() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let directory = directory.path();
    explore(directory, &["--unroll", "3"]).arg(program("resumed.c")).output().expect("ordain starts");
    is_refused(directory, &["--unroll", "4"], "resumed.c", "--unroll was '3', and is '4' now");
    is_refused(directory, &[], "resumed.c", "--unroll was '3', and is not given now");
    is_refused(directory, &["--unroll", "3", "--memory", "tso"], "resumed.c", "--memory was 'sc', and is 'tso' now");
    is_refused(directory, &["--unroll", "3"], "endless.c", "the program or its flags have changed");
    let path = directory.join("state/journal");
    let mut text = std::fs::read(&path).expect("a journal can be read");
    text[30] ^= 1;
    std::fs::write(&path, &text).expect("a journal can be written");
    is_refused(directory, &["--unroll", "3"], "resumed.c", "is damaged at its beginning");
}
