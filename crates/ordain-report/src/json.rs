//! The one object that `--json` prints.

use ordain_model::failure::{Failure, FailureKind, Frame};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Nothing is wrong, over everything that the command looks at.
    Safe,
    Bug,
    /// Nothing was found up to a bound that was set or met; `reason` says which.
    Bounded,
    Unknown,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Confirmation {
    Vm,
    Native,
}

#[derive(Clone, Debug, Serialize)]
pub struct Bug {
    pub kind: FailureKind,
    pub message: String,
    pub file: String,
    pub line: u32,
    pub thread: String,
    /// The witness file; null if none was asked for.
    pub witness: Option<String>,
    pub switches: u32,
    pub confirmed: Vec<Confirmation>,
    /// The functions that the thread is in, innermost first.
    pub stack: Vec<Frame>,
}

impl Bug {
    pub fn new(failure: &Failure, witness: Option<String>, switches: u32, confirmed: Vec<Confirmation>) -> Self {
        Bug {
            kind: failure.kind,
            message: failure.message.clone(),
            file: failure.place.file.clone(),
            line: failure.place.line,
            thread: failure.thread.to_string(),
            witness,
            switches,
            confirmed,
            stack: failure.stack.clone(),
        }
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct Report {
    pub command: &'static str,
    pub verdict: Verdict,
    pub reason: Option<String>,
    pub runs: u64,
    pub paths: PathCount,
    pub queries: u64,
    pub bugs: Vec<Bug>,
    pub assumptions: Vec<String>,
    pub stats: BTreeMap<String, u64>,
    pub seconds: f64,
    /// Of `explore`: which lines its runs have executed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    /// Of `explore`: what it leaves open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unproved: Option<Vec<Unproved>>,
    /// Of `explore --tests`: the tests that it wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tests: Option<Vec<Test>>,
}

/// How many path classes there are. Beyond 64 bits it is text, because readers of JSON would round it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(untagged)]
pub enum PathCount {
    Small(u64),
    Large(String),
}

impl Default for PathCount {
    fn default() -> Self {
        PathCount::Small(0)
    }
}

impl fmt::Display for PathCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PathCount::Small(count) => count.fmt(f),
            PathCount::Large(count) => count.fmt(f),
        }
    }
}

/// An execution of one path class, written down.
#[derive(Clone, Debug, Serialize)]
pub struct Test {
    pub witness: String,
    /// What it ends in; null if it ends well.
    pub failure: Option<FailureKind>,
}

/// Lines that have code, and those among them that were executed.
#[derive(Clone, Debug, Serialize)]
pub struct Coverage {
    pub lines: u64,
    pub covered: u64,
    pub files: Vec<FileCoverage>,
}

#[derive(Clone, Debug, Serialize)]
pub struct FileCoverage {
    pub file: String,
    pub lines: u64,
    pub covered: u64,
    /// The lines that were not executed.
    pub missed: Vec<u32>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Unproved {
    pub kind: &'static str,
    /// Null if it is about no place in particular.
    pub file: Option<String>,
    pub line: Option<u32>,
    pub why: String,
}

impl Report {
    /// The answer of a command that met something it cannot handle.
    pub fn unknown(command: &'static str, reason: String, seconds: f64) -> Self {
        Report {
            command,
            verdict: Verdict::Unknown,
            reason: Some(reason),
            runs: 0,
            paths: PathCount::default(),
            queries: 0,
            bugs: Vec::new(),
            assumptions: Vec::new(),
            stats: BTreeMap::new(),
            seconds,
            coverage: None,
            unproved: None,
            tests: None,
        }
    }

    /// One line, with its newline.
    pub fn to_line(&self) -> String {
        // Strings, numbers and maps with string keys: nothing here can fail to serialise.
        let mut line = serde_json::to_string(self).expect("a report is plain data");
        line.push('\n');
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ordain_model::failure::Place;

    #[test]
    fn a_report_has_the_documented_keys_in_order() {
        let bug = Bug {
            kind: FailureKind::UseAfterFree,
            message: "m".to_owned(),
            file: "f.c".to_owned(),
            line: 3,
            thread: "0.1".to_owned(),
            witness: None,
            switches: 2,
            confirmed: vec![Confirmation::Vm, Confirmation::Native],
            stack: vec![Frame { function: "f".to_owned(), place: Place { file: "f.c".to_owned(), line: 3 } }],
        };
        let report = Report {
            command: "explore",
            verdict: Verdict::Bug,
            reason: None,
            runs: 1,
            paths: PathCount::Small(2),
            queries: 3,
            bugs: vec![bug],
            assumptions: vec![],
            stats: BTreeMap::from([("events".to_owned(), 9)]),
            seconds: 0.5,
            coverage: Some(Coverage { lines: 4, covered: 4, files: vec![] }),
            unproved: Some(vec![Unproved { kind: "race", file: None, line: None, why: "w".to_owned() }]),
            tests: Some(vec![Test { witness: "t".to_owned(), failure: None }]),
        };
        assert_eq!(
            report.to_line(),
            "{\"command\":\"explore\",\"verdict\":\"bug\",\"reason\":null,\"runs\":1,\"paths\":2,\"queries\":3,\"bugs\":[{\"kind\":\
             \"use-after-free\",\"message\":\"m\",\"file\":\"f.c\",\"line\":3,\"thread\":\"0.1\",\"witness\":null,\"switches\":2,\
             \"confirmed\":[\"vm\",\"native\"],\"stack\":[{\"function\":\"f\",\"file\":\"f.c\",\"line\":3}]}],\"assumptions\":[],\"stats\":{\"events\":9},\"seconds\":0.5,\
             \"coverage\":{\"lines\":4,\"covered\":4,\"files\":[]},\"unproved\":[{\"kind\":\"race\",\"file\":null,\"line\":null,\"why\":\"w\"}],\"tests\":[{\"witness\":\"t\",\"failure\":null}]}\n"
        );
    }
}
