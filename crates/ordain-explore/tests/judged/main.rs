//! Exploration against brute force, on random programs.
//!
//! For every program the judge enumerates all interleavings and inputs; what `explore` reports must be the same: kinds and
//! lines of errors, threads that can be stuck, races, and (with every branch kept apart) the path classes of executions
//! in which every thread comes to its end. Under TSO and PSO the judge has store buffers, and errors and stuck threads
//! are compared.
//!
//! `ORDAIN_FUZZ_CASES` says how many programs, `ORDAIN_FUZZ_SEED` where to begin; on a difference the program is shrunk
//! (which takes a while; not with `ORDAIN_NO_MINIMISE`).

#[cfg(feature = "faults")]
mod mutants;

use ordain_explore::{Classes, Count, Options, Paths, explore};
use ordain_ir::facts::Facts;
use ordain_ir::program::{Builtin, Program};
use ordain_judge::compare::{Report, compare};
use ordain_judge::enumerate::{Limits, enumerate};
use ordain_judge::findings::{Branch, Findings, PathClass, Verdict};
use ordain_judge::generator::{Profile, generate, syntax::Source};
use ordain_judge::minimise::minimise;
use ordain_model::failure::FailureKind;
use ordain_model::witness::{Execution, MemoryModel};
use ordain_unfold::calls;
use ordain_vm::schedulers::{Follow, run};
use ordain_vm::{Config, End, Inputs, Machine, Status};
use rustc_hash::FxBuildHasher;
use std::collections::BTreeSet;
use std::hash::BuildHasher;
use std::path::PathBuf;
use std::time::Duration;

/// A search that takes longer is given up on: some loops that wait are not recognised as such, and unroll for ever.
const MOST_TIME: Duration = Duration::from_secs(30);

/// Programs that one test looks at by default.
const SAMPLE: u64 = 96;

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

struct Sample {
    program: Program,
    facts: Facts,
    /// Decides how it is searched: the same text is always searched in the same way.
    lot: u64,
}

fn load(source: &Source) -> Sample {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file: PathBuf = directory.path().join("program.c");
    std::fs::write(&file, source.to_c()).expect("a temporary file");
    let loaded = ordain_ir::load(&[file], &ordain_ir::CompileOptions::default());
    let program = loaded.unwrap_or_else(|e| panic!("generated programs compile: {e}\n{}", source.to_c())).program;
    let lot = FxBuildHasher.hash_one(source.to_c());
    Sample { facts: Facts::new(&program), program, lot }
}

/// Whether there are finitely many path classes: a wait that ends too early can do so again and again.
fn has_paths(sample: &Sample) -> bool {
    !calls(&sample.program, Builtin::Spurious) && !calls(&sample.program, Builtin::Expired)
}

/// A program, and what brute force found in it.
struct Judged {
    sample: Sample,
    memory: MemoryModel,
    verdict: Verdict,
}

/// What came of holding exploration against brute force.
enum Comparison {
    Same,
    Different(String),
    /// Enumeration has too many interleavings to go through.
    TooLarge,
    /// Exploration did not come to its end in time.
    TooSlow,
}

impl Judged {
    /// `None` if there is too much to enumerate.
    fn new(source: &Source, memory: MemoryModel) -> Option<Judged> {
        let sample = load(source);
        let sc = memory == MemoryModel::Sc;
        let limits = Limits { races: sc, paths: sc && has_paths(&sample), ..Limits::default() };
        let mut verdict = enumerate(&sample.program, &sample.facts, memory, limits);
        forget_kinds(&mut verdict.found);
        verdict.incomplete.is_none().then_some(Judged { sample, memory, verdict })
    }

    fn compare(&self, most_time: Duration) -> Comparison {
        match report(&self.sample, self.memory, most_time) {
            Ok(None) => Comparison::TooSlow,
            Ok(Some(report)) => match compare(&self.verdict, &report) {
                None => Comparison::Same,
                Some(difference) => Comparison::Different(difference.to_string()),
            },
            Err(error) => Comparison::Different(error),
        }
    }
}

fn comparison(source: &Source, memory: MemoryModel) -> Comparison {
    Judged::new(source, memory).map_or(Comparison::TooLarge, |judged| judged.compare(MOST_TIME))
}

/// Whether a stuck set is called a deadlock or a hang depends on who else is in it: compare who is stuck where.
fn forget_kinds(findings: &mut Findings) {
    let stuck = std::mem::take(&mut findings.stuck);
    findings.stuck = stuck.into_iter().map(|(_, thread, line)| (FailureKind::Deadlock, thread, line)).collect();
}

/// What exploration reports; `None` if it takes too long.
fn report(sample: &Sample, memory: MemoryModel, most_time: Duration) -> Result<Option<Report>, String> {
    // Some of the programs, whichever those are, are searched by several threads.
    let jobs = if sample.lot.is_multiple_of(4) { 3 } else { 1 };
    // And of some, what the model says is held to brute force, without what runs show by chance.
    let only_asked = (sample.lot >> 8).is_multiple_of(2);
    let options = Options { memory, audit: 20, jobs, only_asked, time: Some(most_time), ..Options::default() };
    let summary = explore(&sample.program, &options, &mut |_| {}).map_err(|e| e.to_string())?;
    if summary.stopped.is_some() {
        return Ok(None);
    }
    let (mut errors, mut stuck, mut races) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for failure in summary.bugs.iter().map(|b| &b.failure) {
        let line = failure.place.line;
        match failure.kind {
            FailureKind::Race => {
                let other = failure.others[0].1.line;
                races.insert((line.min(other), line.max(other)));
            }
            FailureKind::Deadlock | FailureKind::Hang => {
                stuck.insert((FailureKind::Deadlock, failure.thread.clone(), line));
                let others = failure.others.iter();
                stuck.extend(others.map(|(t, p)| (FailureKind::Deadlock, t.clone(), p.line)));
            }
            kind => {
                errors.insert((kind, line));
            }
        }
    }
    let mut report = Report { errors: Some(errors), stuck: Some(stuck), ..Report::default() };
    if memory == MemoryModel::Sc {
        report.races = Some(races);
    }
    if memory == MemoryModel::Sc && has_paths(sample) {
        // What is past a deadlock has no whole executions.
        let options = Options { paths: Some(Paths::Run), time: Some(most_time), ..Options::default() };
        let summary = explore(&sample.program, &options, &mut |_| {}).map_err(|e| format!("with --paths: {e}"))?;
        if summary.stopped.is_some() {
            return Ok(None);
        }
        let Some(Classes::Run(classes)) = summary.paths else { return Err("no paths were enumerated".into()) };
        let options = Options { paths: Some(Paths::Count), ..options };
        let summary =
            explore(&sample.program, &options, &mut |_| {}).map_err(|e| format!("with --paths=count: {e}"))?;
        if summary.stopped.is_some() {
            return Ok(None);
        }
        let counted = summary.paths.ok_or("no paths were counted")?.number();
        if counted != Count::from(classes.len()) {
            return Err(format!("{} path classes, counted as {counted}", classes.len()));
        }
        report.paths = Some(classes.iter().filter_map(|e| path_class(sample, e)).collect());
    }
    Ok(Some(report))
}

/// The path class of an execution in which every thread comes to its end.
fn path_class(sample: &Sample, execution: &Execution) -> Option<PathClass> {
    let config = Config { branches: true, stop_when_stuck: false, ..Config::default() };
    let mut machine = Machine::alone(&sample.program, &sample.facts, config);
    machine.provide_inputs(Inputs::of(execution));
    run(&mut machine, &mut Follow::new(&execution.schedule), u64::MAX);
    let ended = machine.thread_ids().skip(1).all(|t| machine.status(t) == Status::Ended);
    if !ended || !matches!(machine.end(), Some(End::Exit(_))) {
        return None;
    }
    let path = |t| machine.branches(t).iter().map(|b| Branch { function: b.function, pc: b.pc, to: b.to }).collect();
    Some(machine.thread_ids().map(|t| (machine.name(t).clone(), path(t))).collect())
}

fn judge_all(memory: MemoryModel, profiles: &[Profile]) {
    let (first, cases) = (number("ORDAIN_FUZZ_SEED", 1), number("ORDAIN_FUZZ_CASES", SAMPLE));
    let (mut too_large, mut too_slow) = (Vec::new(), Vec::new());
    for case in first..first + cases {
        let profile = profiles[case as usize % profiles.len()];
        let source = generate(case, profile);
        match comparison(&source, memory) {
            Comparison::Same => {}
            Comparison::TooLarge => too_large.push(case),
            Comparison::TooSlow => too_slow.push(case),
            Comparison::Different(first) => {
                let differs = |s: &Source| matches!(comparison(s, memory), Comparison::Different(_));
                let smallest = match std::env::var_os("ORDAIN_NO_MINIMISE") {
                    Some(_) => source,
                    None => minimise(&source, differs),
                };
                let Comparison::Different(what) = comparison(&smallest, memory) else {
                    panic!("seed {case}, {profile}, {memory:?}: a difference that does not come again: {first}");
                };
                let numbered: String = smallest.to_c().lines().zip(1..).map(|(l, n)| format!("{n:4}  {l}\n")).collect();
                panic!("seed {case}, {profile}, {memory:?}:\n{numbered}{what}");
            }
        }
    }
    let undecided = (too_large.len() + too_slow.len()) as u64;
    println!(
        "{memory:?}: {} programs agree; too large: seeds {too_large:?}; too slow: seeds {too_slow:?}",
        cases - undecided
    );
    assert!(undecided * 10 < cases, "{undecided} of {cases} programs were not decided");
}

#[test]
fn sequential_consistency() {
    judge_all(MemoryModel::Sc, &Profile::ALL);
}

#[test]
fn total_store_order() {
    judge_all(MemoryModel::Tso, &Profile::ALL);
}

#[test]
fn partial_store_order() {
    judge_all(MemoryModel::Pso, &Profile::ALL);
}

#[test]
fn library_synchronisation() {
    judge_all(MemoryModel::Sc, &Profile::LIBRARY);
}

#[test]
fn library_synchronisation_with_store_buffers() {
    judge_all(MemoryModel::Tso, &Profile::LIBRARY);
    judge_all(MemoryModel::Pso, &Profile::LIBRARY);
}
