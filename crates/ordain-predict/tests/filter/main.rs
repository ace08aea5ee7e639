//! The filter's candidates for random runs of random programs, against brute force: whatever some order of a run's events has, or of a
//! part of them, must be among them.
//!
//! Left out are runs that the end of the process has cut short (brute force goes on with what their threads would have done next, which
//! the log does not have), and runs in which an address depends on what was read from others (`addresses`),
//! and runs of which the filter says that it has forgotten something. Of the rest:
//!
//! - a race is a candidate of its two lines;
//! - a use after free is the use of a `Lifetime` candidate;
//! - who is stuck is at a line of a `Locks` or `Wait` candidate, or waits for a mutex whose holder can be stuck at one;
//! - of who comes between two accesses there is a candidate with the same line between, whose own two accesses are on the way from the one
//!   to the other, and of the same memory.
//!
//! `ORDAIN_FUZZ_CASES` says how many runs, `ORDAIN_FUZZ_SEED` where to begin.

mod addresses;
mod by_hand;
#[path = "../support/mod.rs"]
#[expect(dead_code, reason = "nothing is predicted here")]
mod support;

use ordain_ir::facts::Facts;
use ordain_ir::program::Program;
use ordain_judge::cases::number;
use ordain_judge::findings::Line;
use ordain_judge::generator::Profile;
use ordain_judge::predict::Split;
use ordain_model::failure::FailureKind;
use ordain_predict::{Candidate, Filter, Kind, Run};
use ordain_vm::schedulers::{self, Follow};
use ordain_vm::{Action, Config, Executed, Inputs, Machine};
use std::collections::{BTreeMap, BTreeSet};
use support::{Findings, Regions, SAMPLE, numbered, passing_run, program, without_awaits};

/// The log of a run, each event with the caller's clock.
fn log(program: &Program, facts: &Facts, run: &Run) -> Vec<(u64, Executed)> {
    let mut machine = Machine::alone(program, facts, Config { record: true, ..Config::default() });
    machine.provide_inputs(Inputs::given(&run.execution.inputs));
    let mut follow = Follow::new(&run.execution.schedule);
    schedulers::run(&mut machine, &mut follow, u64::MAX);
    assert!(follow.divergence().is_none(), "a run can be made again");
    let mut points: BTreeMap<u32, u64> = BTreeMap::new();
    let mut log = Vec::new();
    for executed in machine.take_log() {
        points.insert(executed.thread.0, executed.points);
        log.push((points.values().sum(), executed));
    }
    log
}

/// What the filter has not found, in words.
fn missing(program: &Program, log: &[(u64, Executed)], candidates: &[Candidate], found: &Findings) -> Vec<String> {
    let of = |kind: Kind| candidates.iter().filter(move |c| c.kind == kind).map(lines);
    let mut missing = Vec::new();
    let races: BTreeSet<Vec<Line>> = of(Kind::Race).map(sorted).collect();
    let raced = found.races.iter().filter(|(a, b)| !races.contains(&vec![*a, *b]));
    missing.extend(raced.map(|race| format!("race {race:?}")));
    let lifetimes: Vec<Vec<Line>> = of(Kind::Lifetime).collect();
    for (kind, line) in &found.misuse {
        let is_it = |lines: &Vec<Line>| match kind {
            FailureKind::UseAfterFree => lines[0] == *line,
            _ => lines.contains(line),
        };
        if !lifetimes.iter().any(is_it) {
            missing.push(format!("{kind:?} at {line}"));
        }
    }
    let stuck = may_be_stuck(log, of(Kind::Locks).chain(of(Kind::Wait)).flatten().collect());
    let unexpected = found.stuck.iter().filter(|(_, _, line)| !stuck.contains(line));
    missing.extend(unexpected.map(|(kind, thread, line)| format!("{kind:?} of {thread} at {line}")));
    let splits: Vec<Vec<Line>> = of(Kind::Atomicity).collect();
    let unseen = found.splits.iter().filter(|split| !is_split(program, log, &splits, **split));
    missing.extend(unseen.map(|split| format!("split {split:?}")));
    missing
}

fn lines(candidate: &Candidate) -> Vec<Line> {
    candidate.places.iter().map(|place| place.line).collect()
}

fn sorted(mut lines: Vec<Line>) -> Vec<Line> {
    lines.sort_unstable();
    lines
}

/// These lines, and those at which threads wait for mutexes that are held at one of them.
fn may_be_stuck(log: &[(u64, Executed)], mut lines: BTreeSet<Line>) -> BTreeSet<Line> {
    loop {
        let mut held: BTreeMap<u64, u32> = BTreeMap::new();
        let mut kept_from: BTreeSet<(u64, u32)> = BTreeSet::new();
        for (_, executed) in log {
            let thread = executed.thread.0;
            let waits = !matches!(executed.action, Action::Unlock { .. } | Action::Store { .. });
            if waits && lines.contains(&executed.location.line) {
                kept_from.extend(held.iter().filter(|(_, holder)| **holder == thread).map(|(&m, _)| (m, thread)));
            }
            match executed.action {
                Action::Lock { address } | Action::TryLock { address, taken: true } => held.insert(address, thread),
                Action::Unlock { address } => held.remove(&address),
                _ => None,
            };
        }
        let before = lines.len();
        for (_, executed) in log {
            let Action::Lock { address } = executed.action else { continue };
            if kept_from.iter().any(|&(mutex, holder)| mutex == address && holder != executed.thread.0) {
                lines.insert(executed.location.line);
            }
        }
        if lines.len() == before {
            return lines;
        }
    }
}

/// Whether a thread has two accesses between the first and the second, these included, of which there is a candidate.
fn is_split(program: &Program, log: &[(u64, Executed)], candidates: &[Vec<Line>], split: Split) -> bool {
    let (first, remote, second) = split;
    let mut words: BTreeMap<(u32, u64), Vec<Line>> = BTreeMap::new();
    for (_, executed) in log.iter().filter(|(_, e)| !program.function(e.function).model) {
        if let Some((address, size)) = addresses::access(executed) {
            for word in address / 8..=(address + size - 1) / 8 {
                words.entry((executed.thread.0, word)).or_default().push(executed.location.line);
            }
        }
    }
    words.values().any(|accesses| {
        let (Some(from), Some(to)) =
            (accesses.iter().position(|&l| l == first), accesses.iter().rposition(|&l| l == second))
        else {
            return false;
        };
        candidates.iter().filter(|lines| lines[1] == remote && from < to).any(|lines| {
            let way = &accesses[from..=to];
            let begin = way.iter().position(|&l| l == lines[0]);
            begin.is_some_and(|begin| way[begin + 1..].contains(&lines[2]))
        })
    })
}

#[derive(Debug, Default)]
struct Judged {
    agree: u64,
    too_large: u64,
    cut_short: u64,
    elsewhere: u64,
    forgotten: u64,
    found: usize,
    candidates: usize,
}

impl Judged {
    /// What comes of one random program; nothing if no run of it passes.
    fn judge(&mut self, seed: u64, profiles: &[Profile], with: Regions) {
        let program = program(seed, profiles);
        let facts = Facts::new(&program);
        let Some(run) = passing_run(&program, &facts, seed) else { return };
        if !run.whole {
            self.cut_short += 1;
            return;
        }
        let log = log(&program, &facts, &run);
        if addresses::depend_on_others(&program, &log) {
            self.elsewhere += 1;
            return;
        }
        let Some(found) = Findings::brute_force(&program, &facts, &run, with) else {
            self.too_large += 1;
            return;
        };
        let mut filter = Filter::new(&program);
        log.iter().for_each(|(at, executed)| filter.take(*at, executed));
        if filter.dropped() != 0 {
            self.forgotten += 1;
            return;
        }
        let candidates = filter.finish();
        let missing = missing(&program, &log, &candidates, &found);
        if !missing.is_empty() {
            let candidates: Vec<_> = candidates.iter().map(|c| (c.kind, lines(c))).collect();
            let source = numbered(seed, profiles);
            panic!(
                "seed {seed}, filtered:\n{source}missing: {missing:#?}\nfound: {found:?}\ncandidates: {candidates:?}"
            );
        }
        self.agree += 1;
        self.found += found.races.len() + found.misuse.len() + found.splits.len();
        self.candidates += candidates.iter().filter(|c| !matches!(c.kind, Kind::Wait | Kind::Locks)).count();
    }
}

fn judge_all(profiles: &[Profile], with: Regions) {
    let (first, cases) = (number("ORDAIN_FUZZ_SEED", 1), number("ORDAIN_FUZZ_CASES", SAMPLE));
    let (mut seed, mut judged) = (first, Judged::default());
    while judged.agree + judged.too_large < cases {
        judged.judge(seed, profiles, with);
        seed += 1;
    }
    println!("seeds {first} to {seed}: {judged:?}");
    assert!(judged.agree * 2 > cases, "too few of {cases} runs were decided");
}

#[test]
fn own_synchronisation() {
    judge_all(&without_awaits(), Regions::Judged);
}

#[test]
fn mutexes_and_the_heap() {
    judge_all(&[Profile::Locks, Profile::Heap], Regions::LeftOut);
}

#[test]
fn waiting_and_the_library() {
    judge_all(&[Profile::Awaits, Profile::Conditions, Profile::Primitives], Regions::LeftOut);
}
