//! Explores every program of `tests/suite`, in the manner of the well-known concurrency suites, and of `bench/recorded`, for a
//! short time each.
//!
//! What is found out has to be right; not to be finished in time is no failure here (`make bench-suite` gives each a
//! minute and counts), but is said at the end. Every safe program is audited by random runs.

mod support;

use libtest_mimic::{Arguments, Failed, Trial};
use std::sync::{Arc, Mutex};
use support::Case;
use support::exploring::{Effort, explore, replay};
use support::judging::{Judgement, judge};

const AUDIT_RUNS: u32 = 200;
const MOST_SECONDS: u32 = 3;

fn main() {
    let arguments = Arguments::from_args();
    let unfinished = Arc::new(Mutex::new(Vec::new()));
    let cases = ["tests/suite", "bench/recorded"].into_iter().flat_map(support::cases_in);
    let trials = cases.map(|case| {
        let (name, unfinished) = (case.name.clone(), Arc::clone(&unfinished));
        Trial::test(name, move || {
            if let Judgement::Undecided(why) = check(&case)? {
                unfinished.lock().map_err(|_| "another test has failed")?.push(format!("{}: {why}", case.name));
            }
            Ok(())
        })
    });
    let conclusion = libtest_mimic::run(&arguments, trials.collect());
    if let Ok(mut unfinished) = unfinished.lock() {
        unfinished.sort();
        println!("not finished in {MOST_SECONDS} s: {}", unfinished.len());
        unfinished.iter().for_each(|line| println!("  {line}"));
    }
    conclusion.exit();
}

fn check(case: &Case) -> Result<Judgement, Failed> {
    let witnesses = tempfile::tempdir()?;
    let effort = Effort { seconds: MOST_SECONDS, audit: Some(AUDIT_RUNS), paths: false };
    let explored = explore(case, &effort, witnesses.path())?;
    explored.bugs.iter().try_for_each(replay)?;
    match judge(case, &explored)? {
        Judgement::Wrong(why) => Err(format!("{why}\n{:#}", explored.report).into()),
        judgement => Ok(judgement),
    }
}
