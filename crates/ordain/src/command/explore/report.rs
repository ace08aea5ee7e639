//! What `explore` found, as a report and in words.

use super::Options;
use crate::present;
use crate::subject::Subject;
use ordain_explore::{Count, Statistics, Summary};
use ordain_report::json::{Bug, Coverage, FileCoverage, PathCount, Report, Test, Unproved, Verdict};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Instant;

/// How much of what is unproved people are shown.
const MOST_UNPROVED: usize = 10;

pub fn of(summary: &Summary, bugs: Vec<Bug>, tests: Option<Vec<Test>>, start: Instant) -> Report {
    let (verdict, reason) = match &summary.verdict {
        ordain_explore::Verdict::Safe => (Verdict::Safe, None),
        // There may be more of them.
        ordain_explore::Verdict::Bug => (Verdict::Bug, summary.stopped.map(|stopped| stopped.reason().to_owned())),
        ordain_explore::Verdict::Bounded(reason) => (Verdict::Bounded, Some(reason.clone())),
        ordain_explore::Verdict::Unknown(reason) => (Verdict::Unknown, Some(reason.clone())),
    };
    Report {
        command: "explore",
        verdict,
        reason,
        runs: u64::from(summary.runs),
        paths: summary.paths.as_ref().map(|paths| paths_of(&paths.number())).unwrap_or_default(),
        queries: summary.statistics.queries,
        bugs,
        assumptions: summary.assumptions.clone(),
        stats: statistics(&summary.statistics),
        seconds: start.elapsed().as_secs_f64(),
        coverage: Some(coverage(&summary.coverage)),
        unproved: Some(summary.unproved.iter().map(unproved).collect()),
        tests,
    }
}

fn paths_of(count: &Count) -> PathCount {
    u64::try_from(count).map_or_else(|_| PathCount::Large(count.to_string()), PathCount::Small)
}

fn coverage(files: &[ordain_explore::FileCoverage]) -> Coverage {
    let files = files.iter().map(|f| FileCoverage {
        file: f.file.clone(),
        lines: (f.covered.len() + f.missed.len()) as u64,
        covered: f.covered.len() as u64,
        missed: f.missed.clone(),
    });
    let files: Vec<FileCoverage> = files.collect();
    let (lines, covered) = (files.iter().map(|f| f.lines).sum(), files.iter().map(|f| f.covered).sum());
    Coverage { lines, covered, files }
}

fn unproved(unproved: &ordain_explore::Unproved) -> Unproved {
    Unproved {
        kind: unproved.kind.name(),
        file: unproved.place.as_ref().map(|p| p.file.clone()),
        line: unproved.place.as_ref().map(|p| p.line),
        why: unproved.why.clone(),
    }
}

fn statistics(statistics: &Statistics) -> BTreeMap<String, u64> {
    let Statistics { queries: _, satisfiable, events, nodes, rounds, restarts, audited, resumed } = *statistics;
    let entries = [
        ("satisfiable", satisfiable),
        ("events", events as u64),
        ("nodes", nodes as u64),
        ("rounds", u64::from(rounds)),
        ("restarts", u64::from(restarts)),
        ("audited", u64::from(audited)),
        ("resumed", u64::from(resumed)),
    ];
    entries.map(|(name, count)| (name.to_owned(), count)).into()
}

/// The verdict in words. "No bug" and "not finished" must not look alike.
pub fn in_words(subject: &Subject, options: &Options, report: &Report) -> String {
    let name = subject.name();
    let reason = report.reason.as_deref().unwrap_or_default();
    let mut text = match report.verdict {
        Verdict::Safe => format!("{name}: SAFE, for every schedule and every input\n"),
        Verdict::Bug => {
            let count = if report.bugs.len() == 1 { "1 bug".to_owned() } else { format!("{} bugs", report.bugs.len()) };
            let more = if reason.is_empty() { String::new() } else { format!(", NOT FINISHED: {reason}") };
            format!("{name}: {count}{more}\n")
        }
        Verdict::Bounded => format!("{name}: NOT FINISHED, no bug up to a bound: {reason}\n"),
        Verdict::Unknown => format!("{name}: NOT FINISHED: {reason}\n"),
    };
    if options.common.quiet {
        return text;
    }
    let at_least = if reason.is_empty() { "" } else { "at least " };
    let paths = options.paths().map(|_| format!(", {at_least}{} path classes", report.paths)).unwrap_or_default();
    let audited = if options.audit > 0 && report.verdict == Verdict::Safe {
        format!(", {} random runs agree", report.stats["audited"])
    } else {
        String::new()
    };
    let _ = writeln!(
        text,
        "  {} runs{paths}, {} queries{audited}, memory model {}, {:.2} s",
        report.runs,
        report.queries,
        present::memory_name(options.memory),
        report.seconds
    );
    if let (Some(tests), Some(directory)) = (&report.tests, &options.tests) {
        let _ = writeln!(text, "  {} tests in {}", tests.len(), directory.display());
    }
    left_open(&mut text, report);
    // A bug needs no assumptions: it was run.
    if report.verdict != Verdict::Bug && !report.assumptions.is_empty() {
        let _ = writeln!(text, "  assuming:");
        for assumption in &report.assumptions {
            let _ = writeln!(text, "    {assumption}");
        }
    }
    text
}

/// What was not executed, and what was not proved: totals, and the first few.
fn left_open(text: &mut String, report: &Report) {
    if let Some(Coverage { lines, covered, .. }) = report.coverage.as_ref().filter(|c| c.covered < c.lines) {
        let _ = writeln!(text, "  {covered} of {lines} lines were executed");
    }
    let unproved = report.unproved.as_deref().unwrap_or_default();
    if unproved.is_empty() {
        return;
    }
    let _ = writeln!(text, "  unproved ({}):", unproved.len());
    for open in unproved.iter().take(MOST_UNPROVED) {
        let place = match (&open.file, open.line) {
            (Some(file), Some(line)) => format!(" at {file}:{line}"),
            _ => String::new(),
        };
        let _ = writeln!(text, "    {}{place}: {}", open.kind, open.why);
    }
    if unproved.len() > MOST_UNPROVED {
        let _ = writeln!(text, "    and {} more, which --json lists", unproved.len() - MOST_UNPROVED);
    }
}
