//! What `ordain predict` has answered, whatever that is: figures that are not in a report are shown as missing.

use super::Failure;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub struct Answer {
    report: Value,
    /// Why there is no report, or it is not finished.
    pub reason: Option<String>,
}

impl Answer {
    /// Has it asked by `command`, which wants `--json`.
    pub fn to(command: &mut Command) -> Result<Answer, Failure> {
        let output = command.stdin(Stdio::null()).output()?;
        let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let mut reason = report["reason"].as_str().map(str::to_owned);
        if report.is_null() {
            let said = String::from_utf8_lossy(&output.stderr);
            let line = said.lines().find(|line| !line.trim().is_empty()).unwrap_or("nothing was said");
            reason = Some(format!("{}: {line}", output.status));
        }
        Ok(Answer { report, reason })
    }

    pub fn stat(&self, name: &str) -> Option<u64> {
        self.report["stats"][name].as_u64()
    }

    /// Of the whole command.
    pub fn seconds(&self) -> Option<f64> {
        self.report["seconds"].as_f64()
    }

    pub fn bugs(&self) -> Vec<Bug<'_>> {
        self.report["bugs"].as_array().into_iter().flatten().map(Bug).collect()
    }

    /// How many bugs there are of which kind; nothing if there is no report.
    pub fn bugs_by_kind(&self) -> Option<String> {
        self.stat("points")?;
        let mut kinds: BTreeMap<&str, u32> = BTreeMap::new();
        for bug in self.bugs() {
            *kinds.entry(bug.kind()).or_default() += 1;
        }
        let words: Vec<String> = kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        Some(if words.is_empty() { "0".to_owned() } else { words.join(", ") })
    }
}

/// One bug of a report.
pub struct Bug<'a>(&'a Value);

impl<'a> Bug<'a> {
    pub fn kind(&self) -> &'a str {
        self.0["kind"].as_str().unwrap_or("?")
    }

    pub fn message(&self) -> &'a str {
        self.0["message"].as_str().unwrap_or_default()
    }

    pub fn witness(&self) -> Option<PathBuf> {
        self.0["witness"].as_str().map(PathBuf::from)
    }

    /// Where it fails. If that is in a library's function, then where the program called it as well.
    pub fn place(&self, sources: &Path) -> String {
        let name = |place: &Value| {
            let file = Path::new(place["file"].as_str().unwrap_or("?"));
            format!("{}:{}", file.file_name().unwrap_or_default().display(), place["line"])
        };
        let is_own = |place: &&Value| Path::new(place["file"].as_str().unwrap_or_default()).starts_with(sources);
        let own = self.0["stack"].as_array().into_iter().flatten().find(is_own);
        match own.filter(|_| !is_own(&self.0)) {
            Some(caller) => format!("{}, called at {}", name(self.0), name(caller)),
            None => name(self.0),
        }
    }
}

/// A figure, or that there is none.
pub fn shown<T: std::fmt::Display>(figure: Option<T>) -> String {
    figure.map_or_else(|| "-".to_owned(), |figure| figure.to_string())
}
