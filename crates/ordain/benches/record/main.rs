//! What recording costs: `make bench-record`.
//!
//! Every program (`programs`) is built in several ways (`build`) and run in turn, several times; what counts is the median
//! of the processor time of each (`measure`), as a ratio to that of plain clang -O2. Every log that was measured is followed to its
//! end in every thread. Names on the command line are the only programs to be measured.

mod build;
mod measure;
mod programs;
#[path = "../real/recipe.rs"]
#[allow(dead_code, reason = "recording does not decompress")]
mod recipe;

use build::Built;
use measure::{Measured, Times};
use programs::{Program, programs};
use std::path::Path;
use std::process::ExitCode;

type Failure = Box<dyn std::error::Error>;

/// What is to be reached, for each level of `--log`.
const MOST_MEAN: f64 = 1.4;
const MOST: f64 = 2.5;

fn main() -> ExitCode {
    // Cargo adds options of its own.
    let names: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    match run_all(&names) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn run_all(names: &[String]) -> Result<(), Failure> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let place = tempfile::tempdir()?;
    let leap = build::leap(&root, place.path())?;
    println!(
        "{:<22} {:>8} | {:>7} {:>9} {:>7} {:>7} | {:>10} {:>10} {:>10} | followed",
        "processor time", "clang", "paths", "addresses", "tsan", "leap", "paths", "addresses", "leap"
    );
    let mut all = Vec::new();
    for program in programs(&root)?.iter().filter(|p| names.is_empty() || names.contains(&p.name)) {
        let home = place.path().join(&program.name);
        std::fs::create_dir(&home)?;
        let built = Built::new(&root, program, &home, &leap)?;
        let measured = measure::measure(program, &built, &home)?;
        println!("{}", line(program, &measured));
        // Logs are large.
        std::fs::remove_dir_all(&home)?;
        all.push(measured);
    }
    summarise(&all);
    Ok(())
}

fn line(program: &Program, m: &Measured) -> String {
    let ratio = |times: &Times| match (m.counts, times.median() / m.clang.median()) {
        (true, ratio) => format!("{ratio:.2}"),
        (false, ratio) => format!("({ratio:.2})"),
    };
    format!(
        "{:<22} {:>7.3}s | {:>7} {:>9} {:>7} {:>7} | {:>10} {:>10} {:>10} | {} logs, {} M decisions",
        program.name,
        m.clang.median(),
        ratio(&m.paths.times),
        ratio(&m.addresses.times),
        ratio(&m.tsan),
        ratio(&m.leap.times),
        bytes(m.paths.log_bytes),
        bytes(m.addresses.log_bytes),
        bytes(m.leap.log_bytes),
        m.followed,
        m.decisions / 1_000_000,
    )
}

fn bytes(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} B"),
        10_000..10_000_000 => format!("{} KB", bytes / 1000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}

/// What a column of ratios is about.
type Column = fn(&Measured) -> &Times;

fn summarise(all: &[Measured]) {
    let column = |of: Column| -> Vec<f64> {
        all.iter().filter(|m| m.counts).map(|m| of(m).median() / m.clang.median()).collect()
    };
    let columns: [(&str, Column); 4] = [
        ("--log paths", |m| &m.paths.times),
        ("--log addresses", |m| &m.addresses.times),
        ("tsan", |m| &m.tsan),
        ("leap", |m| &m.leap.times),
    ];
    println!("\n{:<16} {:>15} {:>9} {:>18}", "", "geometric mean", "maximum", format!("not above {MOST}"));
    for (name, of) in columns {
        let ratios = column(of);
        if ratios.is_empty() {
            continue;
        }
        let mean = (ratios.iter().map(|r| r.ln()).sum::<f64>() / ratios.len() as f64).exp();
        let most = ratios.iter().copied().fold(0.0, f64::max);
        let within = ratios.iter().filter(|&&r| r <= MOST).count();
        println!("{name:<16} {mean:>15.2} {most:>9.2} {:>18}", format!("{within} of {}", ratios.len()));
        if name.starts_with("--log") {
            let reached = if mean <= MOST_MEAN && most <= MOST { "reached" } else { "not reached" };
            println!("{:<16} a mean of {MOST_MEAN} and none above {MOST}: {reached}", "");
        }
    }
}
