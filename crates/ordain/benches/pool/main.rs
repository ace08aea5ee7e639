//! The thread pool of zstd, explored: `make explore-pool`.
//!
//! Its sources are fetched from Debian and taken as they are, together with a small client of ours (`client`). Explored
//! are clients small enough to be finished, and one that is not, for ten minutes (or the number of seconds on the command
//! line): how much of the pool its runs have executed, and what it leaves open. Then bugs are planted in copies of the
//! pool (`seeds`), and each has to be found and to fail again when it is replayed.

mod client;
mod pool;
mod seeds;

use client::{Client, EVERYTHING, HAND_OVER, ONE_THREAD, RESIZES, RUNS_SHORT, TWO_THREADS, WAITS};
use pool::{Effort, Explored, Pool, describe, replays};
use seeds::{SEEDS, Seed};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

type Failure = Box<dyn std::error::Error>;

/// For the client that is not finished.
const SECONDS: u64 = 600;
/// For all others, and for each seeded bug.
const SECONDS_EACH: u64 = 300;
/// Per cent of the pool's lines that the runs of the long exploration should execute at least.
const ENOUGH_COVERED: u64 = 50;

fn main() -> ExitCode {
    // Cargo adds options of its own.
    let seconds = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(SECONDS);
    match explore_all(seconds) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

/// Whether everything is as it should be.
fn explore_all(seconds: u64) -> Result<bool, Failure> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let pool = Pool::fetch(&root)?;
    println!(
        "{:16} {:>7} {:>5} {:>4}  {:8} {:>7} {:>5} {:>7} {:>8} {:>8}  bugs",
        "client", "threads", "queue", "jobs", "verdict", "seconds", "runs", "queries", "lines", "unproved"
    );
    let mut good = true;
    let each = Effort { seconds: SECONDS_EACH, first: false, journal: None };
    for client in [ONE_THREAD, HAND_OVER, TWO_THREADS, WAITS, RESIZES] {
        good &= explore_client(&pool, &client, &each)?.verdict() != "bug";
    }
    // Nothing is planted there: this one is real.
    good &= explore_client(&pool, &RUNS_SHORT, &each)?.verdict() == "bug";
    // A second time, it goes on where the first has ended.
    let long = Effort { seconds, first: false, journal: Some(pool.place.join("journal")) };
    let explored = explore_client(&pool, &EVERYTHING, &long)?;
    good &= explored.verdict() != "bug" && covered(&explored).0 >= ENOUGH_COVERED;
    tell_unproved(&explored);

    println!("\n{:44} {:16} {:>7}  {:42} replayed", "planted", "client", "seconds", "found");
    for (i, seed) in SEEDS.iter().enumerate() {
        good &= find_seed(&pool, seed, &pool.place.join(format!("seed{}", i + 1)))?;
    }
    Ok(good)
}

fn explore_client(pool: &Pool, client: &Client, effort: &Effort) -> Result<Explored, Failure> {
    let Client { name, threads, queue, jobs, .. } = client;
    print!("{name:16} {threads:>7} {queue:>5} {jobs:>4}  ");
    // It can take minutes.
    std::io::stdout().flush()?;
    let explored = pool.explore(&pool.source, client, effort)?;
    let bugs: Vec<String> = explored.list("bugs").iter().map(describe).collect();
    println!(
        "{:8} {:>7.1} {:>5} {:>7} {:>8} {:>8}  {}",
        explored.verdict(),
        explored.seconds(),
        explored.number("runs"),
        explored.number("queries"),
        covered(&explored).1,
        explored.list("unproved").len(),
        bugs.join(", ")
    );
    Ok(explored)
}

/// How much of the pool was executed: in per cent, and in words.
fn covered(explored: &Explored) -> (u64, String) {
    let (lines, missed) = explored.missed();
    let share = 100 * (lines - missed.len() as u64) / lines.max(1);
    (share, format!("{}/{lines}", lines - missed.len() as u64))
}

/// What a search leaves open, and what no run of it has executed.
fn tell_unproved(explored: &Explored) {
    let reason = explored.report["reason"].as_str().unwrap_or("nothing was left to ask");
    println!("\nthe last one ended because: {reason}; assumed was:");
    explored.list("assumptions").iter().filter_map(|a| a.as_str()).for_each(|a| println!("  {a}"));
    let mut places: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for open in explored.list("unproved") {
        let file = open["file"].as_str().map(Path::new).and_then(Path::file_name).unwrap_or_default();
        let place = open["line"]
            .as_u64()
            .map_or_else(|| "anywhere".to_owned(), |line| format!("{}:{line}", file.to_string_lossy()));
        places.entry(open["kind"].as_str().unwrap_or_default()).or_default().push(place);
    }
    println!("unproved:");
    places.iter().for_each(|(kind, at)| println!("  {kind}: {}", at.join(" ")));
    let missed: Vec<String> = explored.missed().1.iter().map(u64::to_string).collect();
    println!("lines of pool.c that no run of it has executed: {}", missed.join(" "));
}

/// Whether a bug is found once it is planted, and fails again in the machine and natively.
fn find_seed(pool: &Pool, seed: &Seed, place: &Path) -> Result<bool, Failure> {
    print!("{:44} {:16} ", seed.name, seed.client.name);
    std::io::stdout().flush()?;
    std::fs::create_dir_all(place)?;
    let source = place.join("pool.c");
    std::fs::write(&source, seed.plant(&std::fs::read_to_string(&pool.source)?)?)?;
    let effort = Effort { seconds: SECONDS_EACH, first: true, journal: None };
    let explored = pool.explore(&source, &seed.client, &effort)?;
    let Some(bug) = explored.list("bugs").first() else {
        println!("{:>7.1}  NOT FOUND: {}", explored.seconds(), explored.verdict());
        return Ok(false);
    };
    let replayed = replays(bug)?;
    println!("{:>7.1}  {:42} {}", explored.seconds(), describe(bug), replayed.join(", "));
    Ok(replayed.contains(&"machine"))
}
