//! The programs of `tests/suite`, with a minute for each: `make bench-suite`.
//!
//! What comes out is compared with what their first lines expect, and printed with what it took. Words on the command line
//! are the beginnings of the names of those to be explored.

#[path = "../../tests/support/mod.rs"]
mod support;

use serde_json::Value;
use std::process::ExitCode;
use support::Case;
use support::exploring::{Effort, Explored, explore};
use support::judging::{Judgement, judge};

const EFFORT: Effort = Effort { seconds: 60, audit: None, paths: false };

#[derive(Default)]
struct Totals {
    cases: u32,
    decided: u32,
    wrong: u32,
    seconds: f64,
}

fn main() -> ExitCode {
    // Cargo adds options of its own.
    let names: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let chosen = |case: &Case| names.is_empty() || names.iter().any(|name| case.name.starts_with(name));
    println!(
        "{:32} {:8} {:22} {:>7} {:>5} {:>6} {:>7}",
        "case", "expected", "got", "seconds", "runs", "events", "queries"
    );
    let mut totals = Totals::default();
    support::cases_in("tests/suite").iter().filter(|case| chosen(case)).for_each(|case| measure(case, &mut totals));
    let Totals { cases, decided, wrong, seconds } = totals;
    let share = 100.0 * f64::from(decided) / f64::from(cases.max(1));
    println!("\n{decided} of {cases} decided ({share:.1} %), {wrong} wrong, {seconds:.0} s in all");
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn measure(case: &Case, totals: &mut Totals) {
    totals.cases += 1;
    let expected = case.expected.as_ref().map_or("nothing", |e| e.verdict.as_str());
    print!("{:32} {expected:8} ", case.name);
    let witnesses = tempfile::tempdir().expect("a temporary directory");
    let outcome = explore(case, &EFFORT, witnesses.path())
        .and_then(|explored| judge(case, &explored).map(|judgement| (explored, judgement)));
    let Ok((explored, judgement)) = outcome else {
        totals.wrong += 1;
        println!("NO REPORT");
        return;
    };
    let got = match judgement {
        Judgement::Right => {
            totals.decided += 1;
            expected.to_owned()
        }
        Judgement::Undecided(why) => why,
        Judgement::Wrong(why) => {
            totals.wrong += 1;
            format!("WRONG: {why}")
        }
    };
    println!("{got:22} {}", figures(&explored));
    totals.seconds += explored.report["seconds"].as_f64().unwrap_or_default();
}

fn figures(explored: &Explored) -> String {
    let report = &explored.report;
    let number = |value: &Value| value.as_u64().map_or_else(|| "-".to_owned(), |n| n.to_string());
    let seconds = report["seconds"].as_f64().unwrap_or(f64::NAN);
    let (runs, queries) = (number(&report["runs"]), number(&report["queries"]));
    format!("{seconds:>7.2} {runs:>5} {:>6} {queries:>7}", number(&report["stats"]["events"]))
}
