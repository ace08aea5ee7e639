//! Explores every program of `tests/programs` and compares what comes out with what its first lines expect.
//!
//! A header is the comment lines at the top of a program. Lines of the form `// key: value` mean:
//! - `explore: safe|bounded|unknown`, or `explore: bug KIND:LINE KIND:LINE-LINE …` (the lines of all threads that are
//!   concerned)
//! - `memory: sc|tso|pso`, `check: KINDS`, `cflags: FLAGS`, `unroll: N`: options of the command
//! - `args: WORDS`: what the program gets as arguments
//! - `paths: N`: explores with `--paths` and expects exactly that many path classes
//! - `runs: <= N`: expects no more runs than that
//! - `assumes: WORDS`: the verdict rests on an assumption with these words in it
//! - `case: NAME`: what follows, up to the next `case`, is for this case only, on top of what stands before the first
//!
//! Every bug's witness is replayed, in the machine and, where a native process can show the bug, natively. Every safe
//! program is audited by random runs.

use libtest_mimic::{Arguments, Failed, Trial};
use ordain_model::failure::FailureKind;
use ordain_model::witness::Witness;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const AUDIT_RUNS: &str = "50";
/// So that a search which does not end fails its own test, and not all of them.
const MOST_SECONDS: &str = "120";

fn main() {
    let arguments = Arguments::from_args();
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&directory)
        .expect("tests/programs exists")
        .map(|entry| entry.expect("tests/programs can be listed").path())
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    files.sort();
    let trials = files.iter().flat_map(|file| cases(file)).map(|case| {
        let name = case.name.clone();
        Trial::test(name, move || check(&case))
    });
    libtest_mimic::run(&arguments, trials.collect()).exit();
}

/// What is claimed about a failure: its kind and the lines of the threads it concerns.
#[derive(Clone, PartialEq, Eq, Debug, PartialOrd, Ord)]
struct Claim {
    kind: FailureKind,
    lines: BTreeSet<u32>,
}

impl Claim {
    /// A deadlock may concern more threads (one that joins a stuck one) than those that cause it.
    fn matches(&self, found: &Claim) -> bool {
        self.kind == found.kind
            && match self.kind {
                FailureKind::Deadlock | FailureKind::Hang => self.lines.is_subset(&found.lines),
                _ => self.lines == found.lines,
            }
    }
}

#[derive(Clone, Default)]
struct Case {
    name: String,
    file: PathBuf,
    expected: Option<Expectation>,
    unroll: Option<String>,
    memory: Option<String>,
    check: Option<String>,
    cflags: Option<String>,
    args: Option<String>,
    paths: Option<u64>,
    most_runs: Option<u64>,
    assumes: Option<String>,
}

fn cases(file: &Path) -> Vec<Case> {
    let text = std::fs::read_to_string(file).expect("a test program can be read");
    let stem = file.file_stem().expect("a file has a name").to_string_lossy().into_owned();
    let mut common = Case { name: stem.clone(), file: file.to_owned(), ..Case::default() };
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines().map_while(|line| line.strip_prefix("// ")) {
        let Some((key, value)) = line.split_once(": ") else { continue };
        if key == "case" {
            cases.push(Case { name: format!("{stem}/{value}"), ..common.clone() });
            continue;
        }
        let case = cases.last_mut().unwrap_or(&mut common);
        match key {
            "explore" => case.expected = Some(expectation(value)),
            "unroll" => case.unroll = Some(value.to_owned()),
            "memory" => case.memory = Some(value.to_owned()),
            "check" => case.check = Some(value.to_owned()),
            "args" => case.args = Some(value.to_owned()),
            "cflags" => case.cflags = Some(value.to_owned()),
            "paths" => case.paths = Some(value.parse().expect("a number of paths")),
            "runs" => case.most_runs = value.strip_prefix("<= ").and_then(|n| n.parse().ok()),
            "assumes" => case.assumes = Some(value.to_owned()),
            // Prose may have a colon too.
            _ => {}
        }
    }
    if cases.is_empty() {
        cases.push(common);
    }
    cases
}

/// What `explore` is expected to say.
#[derive(Clone, Debug)]
struct Expectation {
    verdict: String,
    exit_code: i32,
    bugs: Vec<Claim>,
}

fn expectation(text: &str) -> Expectation {
    let mut words = text.split_whitespace();
    let verdict = words.next().unwrap_or_default().to_owned();
    let exit_code = match verdict.as_str() {
        "safe" => 0,
        "bug" => 1,
        "bounded" | "unknown" => 3,
        other => panic!("expected 'safe', 'bug', 'bounded' or 'unknown', found '{other}'"),
    };
    Expectation { verdict, exit_code, bugs: words.map(claim).collect() }
}

fn claim(text: &str) -> Claim {
    let (kind, lines) = text.split_once(':').expect("KIND:LINE");
    let kind = FailureKind::from_name(kind).expect("a kind of failure");
    Claim { kind, lines: lines.split('-').map(|line| line.parse().expect("a line")).collect() }
}

fn check(case: &Case) -> Result<(), Failed> {
    let Expectation { verdict, exit_code, bugs: expected } =
        case.expected.as_ref().ok_or("the header has no `explore:` line")?;
    let witnesses = tempfile::tempdir()?;
    let explored = explore(case, verdict == "safe", witnesses.path())?;
    let (output, report) = (&explored.0, &explored.1);

    let found = found_bugs(report)?;
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
    if case.assumes.as_ref().is_some_and(|words| !report["assumptions"].to_string().contains(words)) {
        return Err(format!("expected the assumption {:?}\n{report:#}", case.assumes).into());
    }
    found.iter().try_for_each(|bug| replay(case, bug))
}

fn explore(case: &Case, audit: bool, witnesses: &Path) -> Result<(Output, Value), Failed> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ordain"));
    command.args(["explore", "--json", "--quiet", "--time", MOST_SECONDS, "-o"]).arg(witnesses).arg(&case.file);
    let options =
        [("--memory", &case.memory), ("--check", &case.check), ("--cflags", &case.cflags), ("--unroll", &case.unroll)];
    for (option, value) in options {
        if let Some(value) = value {
            command.args([option, value]);
        }
    }
    if case.paths.is_some() {
        command.arg("--paths");
    }
    if audit {
        command.args(["--audit", AUDIT_RUNS]);
    }
    if let Some(args) = &case.args {
        command.arg("--").args(args.split_whitespace());
    }
    let output = command.output()?;
    match serde_json::from_slice(&output.stdout) {
        Ok(report) => Ok((output, report)),
        Err(error) => Err(format!("no report ({error}): {}", words(&output)).into()),
    }
}

struct Found {
    claim: Claim,
    witness: PathBuf,
}

fn found_bugs(report: &Value) -> Result<Vec<Found>, Failed> {
    let bugs = report["bugs"].as_array().ok_or("no list of bugs")?;
    bugs.iter()
        .map(|bug| {
            let path = PathBuf::from(bug["witness"].as_str().ok_or("a bug without a witness")?);
            let witness: Witness = serde_json::from_slice(&std::fs::read(&path)?)?;
            if bug["line"] != witness.claim.place.line || bug["kind"] != witness.claim.kind.to_string() {
                return Err(format!("the witness claims something else than the report: {bug}").into());
            }
            let places = witness.claim.others.iter().map(|(_, place)| place).chain([&witness.claim.place]);
            let claim = Claim { kind: witness.claim.kind, lines: places.map(|p| p.line).collect() };
            Ok(Found { claim, witness: path })
        })
        .collect()
}

fn replay(case: &Case, bug: &Found) -> Result<(), Failed> {
    use FailureKind::{Hang, Race, Uninitialised};
    // A native process keeps the order of stores, and notices neither races nor uninitialised memory.
    let in_order = case.memory.as_deref().is_none_or(|memory| memory == "sc");
    let native = in_order && !matches!(bug.claim.kind, Race | Uninitialised | Hang);
    for way in ["--vm", "--native"].into_iter().take(if native { 2 } else { 1 }) {
        let output =
            Command::new(env!("CARGO_BIN_EXE_ordain")).args(["replay", way, "--quiet"]).arg(&bug.witness).output()?;
        if output.status.code() != Some(1) {
            return Err(format!("replay {way} of {:?}: {}", bug.claim, words(&output)).into());
        }
    }
    Ok(())
}

fn words(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("{}\n{}{}", output.status, text(&output.stdout), text(&output.stderr))
}
