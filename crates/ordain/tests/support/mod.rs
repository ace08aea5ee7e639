//! The programs of `tests/programs` and its neighbours, and what their first lines expect. `exploring` runs them,
//! `judging` compares; `recording` records; `predicting` predicts.
//!
//! A header is the comment lines at the top of a program. Lines of the form `// key: value` mean:
//! - `explore: safe|bounded|unknown`, or `explore: bug KIND:LINE KIND:LINE-LINE …` (the lines of all threads that are
//!   concerned; `@WORD` is the line that ends with the comment `// @WORD`)
//! - `memory: sc|tso|pso`, `check: KINDS`, `cflags: FLAGS`, `unroll: N`: options of the command
//! - `spurious: off`: explores with `--no-spurious`
//! - `args: WORDS`: what the program gets as arguments
//! - `paths: N`: explores with `--paths` and expects exactly that many path classes
//! - `runs: <= N`: expects no more runs than that
//! - `reason: WORDS`: why the verdict is not `safe` has these words in it
//! - `unproved: KIND:LINE …`: exactly this stays unproved
//! - `assumes: WORDS`: the verdict rests on an assumption with these words in it
//! - `stack: FUNCTION...`: where the first bug's thread is, innermost function first
//! - `recorded: KIND:LINE`, or only `KIND`: how a recorded run fails, every few runs
//! - `preemptions: N`: how many preemptive switches the literature needed to reproduce that
//! - `predict: none`, or `predict: KIND:LINE-LINE …`: what `ordain predict` finds in the run that it makes; `only: KINDS`: if it looks for
//!   nothing else; `regions: marked`: if it looks only at regions that are marked
//! - `violations: N`, or `violations: some`: how many violations of atomicity it counts; `blind: N`: how many a comparison that knows
//!   nothing of data reports
//! - `native: same`: in the machine it prints what it prints as an ordinary process, and ends with the same status, with and
//!   without optimisation
//! - `case: NAME`: what follows, up to the next `case`, is for this case only, on top of what stands before the first
#![allow(dead_code, reason = "every test binary uses a part of this")]

pub mod exploring;
pub mod judging;
pub mod predicting;
pub mod recording;

use ordain_model::failure::{Failure, FailureKind};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Every case of every program of `tests/programs`, in the order of their names.
pub fn all_cases() -> Vec<Case> {
    cases_in("tests/programs")
}

/// Every case of every program in a directory of the project, in the order of their names.
pub fn cases_in(directory: &str) -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(directory);
    let mut files: Vec<PathBuf> = std::fs::read_dir(&path)
        .unwrap_or_else(|error| panic!("{directory}: {error}"))
        .map(|entry| entry.expect("the programs can be listed").path())
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    files.sort();
    files.iter().flat_map(|file| cases(file)).collect()
}

/// What is claimed about a failure: its kind and the lines of the threads it concerns.
#[derive(Clone, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub struct Claim {
    pub kind: FailureKind,
    pub lines: BTreeSet<u32>,
}

impl Claim {
    pub fn of(failure: &Failure) -> Claim {
        let places = failure.others.iter().map(|(_, place)| place).chain([&failure.place]);
        Claim { kind: failure.kind, lines: places.map(|p| p.line).collect() }
    }

    /// A deadlock may concern more threads (one that joins a stuck one) than those that cause it.
    pub fn matches(&self, found: &Claim) -> bool {
        self.kind == found.kind
            && match self.kind {
                FailureKind::Deadlock | FailureKind::Hang => self.lines.is_subset(&found.lines),
                _ => self.lines == found.lines,
            }
    }
}

#[derive(Clone, Default)]
pub struct Case {
    pub name: String,
    pub file: PathBuf,
    pub expected: Option<Expectation>,
    pub unroll: Option<String>,
    pub memory: Option<String>,
    pub check: Option<String>,
    pub cflags: Option<String>,
    pub args: Option<String>,
    pub paths: Option<u64>,
    pub most_runs: Option<u64>,
    pub no_spurious: bool,
    pub reason: Option<String>,
    pub unproved: Option<Vec<String>>,
    pub assumes: Option<String>,
    pub stack: Option<String>,
    pub same_natively: bool,
    pub recorded: Option<Claim>,
    pub preemptions: Option<u32>,
    pub predicted: Option<Vec<Claim>>,
    pub only: Option<String>,
    pub marked: bool,
    pub violations: Option<String>,
    pub blind: Option<u64>,
}

impl Case {
    /// What the header asks of `explore`; the last of it are the program's own arguments.
    pub fn options(&self) -> Vec<String> {
        let given = [
            ("--memory", &self.memory),
            ("--check", &self.check),
            ("--cflags", &self.cflags),
            ("--unroll", &self.unroll),
        ];
        let given = given.into_iter().filter_map(|(option, value)| Some([option.to_owned(), value.clone()?]));
        let mut options: Vec<String> = given.flatten().collect();
        options.extend(self.paths.is_some().then(|| "--paths".to_owned()));
        options.extend(self.no_spurious.then(|| "--no-spurious".to_owned()));
        if let Some(args) = &self.args {
            options.push("--".to_owned());
            options.extend(args.split_whitespace().map(str::to_owned));
        }
        options
    }
}

fn cases(file: &Path) -> Vec<Case> {
    let text = std::fs::read_to_string(file).expect("a test program can be read");
    let stem = file.file_stem().expect("a file has a name").to_string_lossy().into_owned();
    let mut common = Case { name: stem.clone(), file: file.to_owned(), ..Case::default() };
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines().map_while(|line| line.strip_prefix("//")).map(str::trim_start) {
        let Some((key, value)) = line.split_once(": ") else { continue };
        if key == "case" {
            cases.push(Case { name: format!("{stem}/{value}"), ..common.clone() });
            continue;
        }
        let case = cases.last_mut().unwrap_or(&mut common);
        match key {
            "explore" => case.expected = Some(expectation(value, &text)),
            "unroll" => case.unroll = Some(value.to_owned()),
            "memory" => case.memory = Some(value.to_owned()),
            "check" => case.check = Some(value.to_owned()),
            "args" => case.args = Some(value.to_owned()),
            "cflags" => case.cflags = Some(value.to_owned()),
            "paths" => case.paths = Some(value.parse().expect("a number of paths")),
            "spurious" => case.no_spurious = value == "off",
            "runs" => case.most_runs = value.strip_prefix("<= ").and_then(|n| n.parse().ok()),
            "reason" => case.reason = Some(value.to_owned()),
            "unproved" => case.unproved = Some(value.split_whitespace().map(str::to_owned).collect()),
            "assumes" => case.assumes = Some(value.to_owned()),
            "stack" => case.stack = Some(value.to_owned()),
            "recorded" => case.recorded = Some(claim(value, &text)),
            "preemptions" => case.preemptions = value.parse().ok(),
            "predict" if value == "none" => case.predicted = Some(Vec::new()),
            "predict" => case.predicted = Some(value.split_whitespace().map(|word| claim(word, &text)).collect()),
            "only" => case.only = Some(value.to_owned()),
            "regions" => case.marked = value == "marked",
            "violations" => case.violations = Some(value.to_owned()),
            "blind" => case.blind = value.parse().ok(),
            "native" => case.same_natively = value == "same",
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
pub struct Expectation {
    pub verdict: String,
    pub exit_code: i32,
    pub bugs: Vec<Claim>,
}

fn expectation(words: &str, source: &str) -> Expectation {
    let mut words = words.split_whitespace();
    let verdict = words.next().unwrap_or_default().to_owned();
    let exit_code = match verdict.as_str() {
        "safe" => 0,
        "bug" => 1,
        "bounded" | "unknown" => 3,
        other => panic!("expected 'safe', 'bug', 'bounded' or 'unknown', found '{other}'"),
    };
    Expectation { verdict, exit_code, bugs: words.map(|word| claim(word, source)).collect() }
}

fn claim(word: &str, source: &str) -> Claim {
    let (kind, lines) = word.split_once(':').map_or((word, None), |(kind, lines)| (kind, Some(lines)));
    let kind = FailureKind::from_name(kind).expect("a kind of failure");
    let lines = lines.into_iter().flat_map(|lines| lines.split('-'));
    Claim { kind, lines: lines.map(|line| line_number(line, source)).collect() }
}

/// A line is given by its number or by the mark at its end.
fn line_number(line: &str, source: &str) -> u32 {
    if !line.starts_with('@') {
        return line.parse().expect("the number of a line");
    }
    let mark = format!("// {line}");
    let marked = source.lines().zip(1..).find(|(text, _)| text.ends_with(&mark));
    marked.unwrap_or_else(|| panic!("no line ends with '{mark}'")).1
}
