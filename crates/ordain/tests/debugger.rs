//! `ordain replay --gdb`, with the real gdb: it stops at the failing line, and every thread stands where the witness leaves it.
//!
//! Where that is, the machine says, which follows the same witness. Needs gdb, and a system that lets it trace processes;
//! where either is missing, the tests fail and say so.

mod support;

use ordain_ir::CompileOptions;
use ordain_ir::facts::Facts;
use ordain_model::failure::FailureKind;
use ordain_model::witness::Witness;
use ordain_vm::schedulers::{self, Follow};
use ordain_vm::{Config, Inputs, Machine, RaceMode, Status};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use support::Case;

/// Of every kind of failure that a process can show, so many witnesses are looked at.
const WITNESSES_PER_KIND: usize = 2;
const EXPLORATION_SECONDS: &str = "20";

#[test]
fn stops_at_a_failing_assertion() {
    let found = Found::in_source("assertion", ASSERTION);
    let shown = found.debug(&["print counter", "info locals"]);
    shown.is_at("main", found.line("@assertion"));
    shown.says("$1 = 1");
    shown.says("local = 7");
    assert_eq!(shown.lines(), BTreeMap::from([("0".to_owned(), found.line("@assertion"))]), "{}", shown.text);
}

const ASSERTION: &str = "#include <assert.h>
#include <pthread.h>
static int counter;
static void *worker(void *arg) {
    int mine = counter;
    counter = mine + 1;
    return arg;
}
int main(void) {
    pthread_t a, b;
    int local = 7;
    pthread_create(&a, 0, worker, &local);
    pthread_create(&b, 0, worker, &local);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 2); // @assertion
    return 0;
}
";

#[test]
fn stops_at_a_null_pointer_while_others_stand_still() {
    let found = Found::in_source("null", NULL);
    let shown = found.debug(&["print target"]);
    shown.is_at("worker", found.line("@null"));
    // Not run on: nothing was stored.
    shown.says("$1 = 5");
    let lines = shown.lines();
    assert_eq!(lines.get("0.1"), Some(&found.line("@null")), "{}", shown.text);
    assert_eq!(lines, found.lines_in_machine(), "{}", shown.text);
}

const NULL: &str = "#include <pthread.h>
#include <stdatomic.h>
static int *_Atomic pointer;
static int target = 5;
static void *worker(void *arg) {
    int *p = pointer;
    *p = 3; // @null
    return arg;
}
static void *other(void *arg) {
    pointer = &target;
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, other, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
";

#[test]
fn shows_who_is_in_a_deadlock() {
    let found = Found::in_source("deadlock", DEADLOCK);
    let shown = found.debug(&["info threads"]);
    let expected = [("0", "@join"), ("0.1", "@forward"), ("0.2", "@backward")];
    let expected = expected.map(|(thread, mark)| (thread.to_owned(), found.line(mark)));
    assert_eq!(shown.lines(), BTreeMap::from(expected), "{}", shown.text);
    shown.says("\"0.1\"");
    shown.says("\"0.2\"");
}

const DEADLOCK: &str = "#include <pthread.h>
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static void *forward(void *arg) {
    pthread_mutex_lock(&first);
    pthread_mutex_lock(&second); // @forward
    pthread_mutex_unlock(&second);
    pthread_mutex_unlock(&first);
    return arg;
}
static void *backward(void *arg) {
    pthread_mutex_lock(&second);
    pthread_mutex_lock(&first); // @backward
    pthread_mutex_unlock(&first);
    pthread_mutex_unlock(&second);
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, forward, 0);
    pthread_create(&b, 0, backward, 0);
    pthread_join(a, 0); // @join
    pthread_join(b, 0);
    return 0;
}
";

#[test]
fn threads_stand_where_they_do_in_the_machine() {
    let mut seen: BTreeMap<FailureKind, usize> = BTreeMap::new();
    for case in support::all_cases() {
        for kind in wanted_kinds(&case, &seen) {
            let Some(found) = Found::of_case(&case, kind) else { continue };
            let shown = found.debug(&[]);
            assert_eq!(shown.lines(), found.lines_in_machine(), "{}: {}", case.name, shown.text);
            *seen.entry(kind).or_default() += 1;
        }
    }
    assert!(seen.len() >= 6, "only these kinds of failures were seen: {seen:?}");
}

/// The kinds of failures that a case has, a process can show, and there are too few of.
fn wanted_kinds(case: &Case, seen: &BTreeMap<FailureKind, usize>) -> HashSet<FailureKind> {
    if case.memory.as_deref().is_some_and(|memory| memory != "sc") || case.unroll.is_some() {
        return HashSet::new();
    }
    let bugs = case.expected.iter().flat_map(|expected| &expected.bugs).map(|bug| bug.kind);
    // Where in its loop a thread that hangs is does not matter.
    let shows = |kind: &FailureKind| ordain_instrument::cannot_show(*kind).is_none() && *kind != FailureKind::Hang;
    bugs.filter(shows).filter(|kind| seen.get(kind).is_none_or(|&n| n < WITNESSES_PER_KIND)).collect()
}

#[test]
fn a_missing_gdb_is_an_error_of_the_user() {
    let found = Found::in_source("assertion", ASSERTION);
    let output = found.command(&[]).env("PATH", clang_only()).output().expect("ordain runs");
    let words = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{words}");
    assert!(words.contains("needs GNU gdb in PATH"), "{words}");
}

/// A directory with the compiler and the linker in it, and nothing else.
fn clang_only() -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("clang-only");
    std::fs::create_dir_all(&directory).expect("a directory can be made");
    let path = std::env::var_os("PATH").unwrap_or_default();
    for tool in [ordain_ir::CLANG, "ld", "ld.lld", "ld.lld-22"] {
        let found = std::env::split_paths(&path).map(|directory| directory.join(tool)).find(|file| file.is_file());
        if let Some(file) = found {
            // Another test may have made it.
            let _ = std::os::unix::fs::symlink(file, directory.join(tool));
        }
    }
    directory
}

/// A witness, and the program that it is about.
struct Found {
    source: PathBuf,
    witness: PathBuf,
    _directory: tempfile::TempDir,
}

impl Found {
    fn in_source(kind: &str, text: &str) -> Found {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let source = directory.path().join("program.c");
        std::fs::write(&source, text).expect("the program can be written");
        let witness = explore(&source, &["--check".to_owned(), kind.to_owned()], directory.path());
        Found { source, witness: witness.expect("the failure is found"), _directory: directory }
    }

    fn of_case(case: &Case, kind: FailureKind) -> Option<Found> {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let case = Case { check: Some(kind.to_string()), paths: None, ..case.clone() };
        let witness = explore(&case.file, &case.options(), directory.path())?;
        Some(Found { source: case.file, witness, _directory: directory })
    }

    /// The line that ends with this mark.
    fn line(&self, mark: &str) -> u32 {
        let text = std::fs::read_to_string(&self.source).expect("the program can be read");
        let marked = text.lines().zip(1..).find(|(line, _)| line.ends_with(mark));
        marked.unwrap_or_else(|| panic!("no line ends with {mark}")).1
    }

    fn command(&self, gdb_options: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ordain"));
        command.args(["replay", "--gdb"]).arg(&self.witness).arg("--").args(gdb_options);
        command
    }

    /// What gdb shows when it is asked these things, and where all threads are.
    fn debug(&self, questions: &[&str]) -> Shown {
        let mut options = vec!["-batch", "-nx"];
        for question in questions.iter().chain(&["echo \\n== all threads\\n", "thread apply all backtrace"]) {
            options.extend(["-ex", question]);
        }
        let output = self.command(&options).output().expect("ordain runs");
        let text = words(&output);
        assert!(!text.contains("needs GNU gdb in PATH"), "gdb is not installed; scripts/setup gdb installs it: {text}");
        assert!(!text.contains("ptrace: "), "this system does not let gdb trace processes: {text}");
        assert_eq!(output.status.code(), Some(0), "{text}");
        Shown { text, source: self.source.clone() }
    }

    /// Where the threads that have not ended are when the machine has followed the witness.
    fn lines_in_machine(&self) -> BTreeMap<String, u32> {
        let text = std::fs::read(&self.witness).expect("the witness can be read");
        let witness: Witness = serde_json::from_slice(&text).expect("the witness is one");
        let options =
            CompileOptions { cflags: witness.cflags.clone(), args: witness.args.clone(), ..CompileOptions::default() };
        let loaded = ordain_ir::load(std::slice::from_ref(&self.source), &options).expect("the program can be loaded");
        let facts = Facts::new(&loaded.program);
        let config = Config { races: RaceMode::Off, stop_when_stuck: false, ..Config::default() };
        let mut machine = Machine::alone(&loaded.program, &facts, config);
        machine.provide_inputs(Inputs::of(&witness.execution));
        schedulers::run(&mut machine, &mut Follow::new(&witness.execution.schedule), u64::MAX);
        let alive = machine.thread_ids().filter(|&t| machine.status(t) != Status::Ended);
        alive.map(|t| (machine.name(t).to_string(), machine.place(t).line)).collect()
    }
}

fn explore(source: &Path, options: &[String], witnesses: &Path) -> Option<PathBuf> {
    let output = Command::new(env!("CARGO_BIN_EXE_ordain"))
        .args(["explore", "--json", "--quiet", "--time", EXPLORATION_SECONDS, "-o"])
        .arg(witnesses)
        .arg(source)
        .args(options)
        .output()
        .expect("ordain runs");
    let report: serde_json::Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("no report ({e}): {}", words(&output)));
    Some(PathBuf::from(report["bugs"].get(0)?["witness"].as_str()?))
}

fn words(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// What gdb said.
struct Shown {
    text: String,
    source: PathBuf,
}

impl Shown {
    fn says(&self, what: &str) {
        assert!(self.text.contains(what), "'{what}' is not in: {}", self.text);
    }

    /// The frame that was selected is this one, and the user is shown its line.
    fn is_at(&self, function: &str, line: u32) {
        let before = self.text.split("== all threads").next().unwrap_or_default();
        let frame = before.lines().rfind(|text| text.starts_with('#')).unwrap_or_default();
        let place = format!("{}:{line}", self.source.display());
        assert!(frame.contains(&format!(" in {function} (")) && frame.ends_with(&place), "{}", self.text);
        assert!(before.lines().any(|text| text.starts_with(&format!("{line}\t"))), "{}", self.text);
    }

    /// The line of every thread: that of its innermost frame in the source.
    fn lines(&self) -> BTreeMap<String, u32> {
        let mut lines = BTreeMap::new();
        let mut thread = None;
        let place = format!(" at {}:", self.source.display());
        for text in self.text.split("== all threads").nth(1).unwrap_or_default().lines() {
            if text.starts_with("Thread ") {
                thread = text.split('"').nth(1).map(str::to_owned);
            } else if let Some((_, line)) = text.split_once(&place)
                && let Some(thread) = thread.take()
            {
                lines.insert(thread, line.trim().parse().expect("the number of a line"));
            }
        }
        lines
    }
}
