//! Predictions beside the published table: `make bench-predict`.
//!
//! First, and alone unless something else is asked for (`table`), own versions of the programs of Wang, Limaye, Ganai and Gupta
//! (`bench/predicted`). For each, what was published, what `ordain predict` finds, and what a comparison reports that knows nothing of data
//! (`blind`). Counts must be those that the programs' headers expect. Then longer and longer runs (`scale`), and programs of Debian beside
//! ThreadSanitizer and helgrind (`real`, or the names of some of them).

mod answer;
mod blind;
#[path = "../real/data.rs"]
mod data;
mod detectors;
mod real;
#[path = "../real/recipe.rs"]
#[allow(dead_code, reason = "nothing is decompressed, and programs are built elsewhere")]
mod recipe;
mod scale;
#[path = "../../tests/support/mod.rs"]
mod support;

use std::path::Path;
use std::process::ExitCode;
use support::predicting::{Predicted, predict};
use support::{Case, cases_in};

type Failure = Box<dyn std::error::Error>;

const ORDAIN: &str = env!("CARGO_BIN_EXE_ordain");
const MOST_SECONDS: u32 = 300;

/// How long one prediction of a long run may take.
fn most_seconds() -> u32 {
    std::env::var("ORDAIN_PREDICT_SECONDS").ok().and_then(|n| n.parse().ok()).unwrap_or(MOST_SECONDS)
}

/// What was published, by case: events of the run, simplified; violations; seconds; what is reported without data.
const PUBLISHED: [(&str, u32, u32, f64, u32); 16] = [
    ("atom001/atom001", 50, 1, 0.03, 1),
    ("atom001/atom001a", 58, 0, 0.03, 1),
    ("atom002/atom002", 349, 33, 20.4, 33),
    ("atom002/atom002a", 359, 0, 17.6, 33),
    ("bank/av-2", 278, 8, 0.1, 8),
    ("bank/av-4", 527, 16, 0.6, 16),
    ("bank/av-6", 770, 24, 2.3, 24),
    ("bank/av-8", 1016, 32, 2.5, 32),
    ("bank/sav-2", 337, 4, 0.2, 8),
    ("bank/sav-4", 642, 8, 0.9, 16),
    ("bank/sav-6", 941, 12, 3.8, 24),
    ("bank/sav-8", 1243, 16, 4.6, 32),
    ("bank/nav-2", 341, 0, 0.2, 8),
    ("bank/nav-4", 647, 0, 0.2, 16),
    ("bank/nav-6", 953, 0, 3.7, 24),
    ("bank/nav-8", 1163, 0, 140.6, 32),
];

fn main() -> ExitCode {
    // Cargo adds options of its own.
    let names: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    match run_all(&names) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

/// Whether everything came out as it should.
fn run_all(names: &[String]) -> Result<bool, Failure> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let mut programs = recipe::recipes(&root, "programs")?;
    programs.extend(recipe::recipes(&root, "racy")?);
    let parts = ["table", "scale", "real"];
    let is_known = |name: &String| parts.contains(&name.as_str()) || programs.iter().any(|p| p.name == *name);
    if let Some(unknown) = names.iter().find(|name| !is_known(name)) {
        return Err(format!("there is no {unknown}: table, scale, real, or a program of tests/real/programs").into());
    }
    let wanted = |name: &str| names.iter().any(|n| n == name);
    let mut well = true;
    if names.is_empty() || wanted("table") {
        well &= table()?;
    }
    if wanted("scale") {
        scale::measure(&root)?;
    }
    let programs: Vec<_> = programs.into_iter().filter(|p| wanted("real") || wanted(&p.name)).collect();
    if !programs.is_empty() {
        well &= real::measure(&root, &programs)?;
    }
    Ok(well)
}

fn table() -> Result<bool, Failure> {
    println!(
        "{:<18} | {:>6} {:>10} {:>8} {:>6} | {:>6} {:>10} {:>10} {:>8} {:>8} {:>6}",
        "Fusion, then ours",
        "events",
        "violations",
        "s",
        "blind",
        "events",
        "candidates",
        "violations",
        "solving",
        "s",
        "blind"
    );
    let mut well = true;
    for case in cases_in("bench/predicted") {
        well &= row(&case)?;
    }
    Ok(well)
}

fn row(case: &Case) -> Result<bool, Failure> {
    let witnesses = tempfile::tempdir()?;
    let Predicted { report, .. } =
        predict(case, MOST_SECONDS, witnesses.path()).map_err(|failed| format!("{}: {failed:?}", case.name))?;
    let flags: Vec<String> = case.cflags.iter().flat_map(|flags| flags.split_whitespace()).map(str::to_owned).collect();
    let blind = blind::violations(&case.file, &flags)?;
    let stat = |name: &str| report["stats"][name].as_u64().unwrap_or_default();
    let published = PUBLISHED.iter().find(|row| row.0 == case.name);
    let published = published.map_or_else(String::new, |(_, events, violations, seconds, blind)| {
        format!("{events:>6} {violations:>10} {seconds:>8.2} {blind:>6}")
    });
    println!(
        "{:<18} | {published:<33} | {:>6} {:>10} {:>10} {:>8.2} {:>8.2} {blind:>6}",
        case.name,
        stat("events"),
        stat("candidates"),
        stat("violations"),
        stat("milliseconds_of_search") as f64 / 1000.0,
        report["seconds"].as_f64().unwrap_or_default(),
    );
    let expected = case.violations.as_deref().unwrap_or_default();
    let is_right = if expected == "some" { stat("violations") > 0 } else { expected == stat("violations").to_string() };
    let sees_as_much = case.blind.is_none_or(|expected| expected == blind as u64);
    if !is_right || !sees_as_much {
        eprintln!("{}: expected {expected} violations, and {:?} without data", case.name, case.blind);
    }
    Ok(is_right && sees_as_much)
}
