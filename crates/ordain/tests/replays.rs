//! Runs of the test programs that fail at random fail again when they are replayed: the same claim at the same place, in
//! the machine and, where a native process can show it, natively.

mod support;

use ordain_instrument::{NativeOutcome, Output, ReplayBinary, Start, build_replay, cannot_show};
use ordain_ir::facts::Facts;
use ordain_ir::{CompileOptions, Loaded};
use ordain_model::failure::Failure;
use ordain_model::witness::{Claim, Execution, MemoryModel};
use ordain_vm::schedulers::{self, Follow, Pct, Random, Scheduler, StoreBuffers};
use ordain_vm::{Config, End, Inputs, Machine, RaceMode};
use support::Case;

/// A run that goes on for longer is no run that fails.
const MOST_CHOICES: u64 = 100_000;
/// Some programs fail for one input in 2^32 only.
const MOST_SEEDS: u64 = 2_000;
const PCT_DEPTH: u32 = 3;
const PCT_LENGTH: u64 = 50;

/// How much is tried.
struct Effort {
    /// Failing runs, over all programs.
    runs: usize,
    /// One program in so many is run natively as well: each has to be compiled.
    native_every: usize,
}

#[test]
fn failing_runs_fail_again() {
    check(&Effort { runs: 150, native_every: 4 });
}

#[test]
#[ignore = "takes minutes: part of `make fuzz`"]
fn a_thousand_failing_runs_fail_again() {
    check(&Effort { runs: 1000, native_every: 1 });
}

fn check(effort: &Effort) {
    let mut subjects = subjects(effort);
    let (mut replayed, mut natively) = (0, 0);
    while replayed < effort.runs {
        let before = replayed;
        for subject in &mut subjects {
            let Some(run) = subject.next_failing_run() else { continue };
            subject.replay(&run);
            natively += usize::from(subject.replay_natively(&run));
            replayed += 1;
        }
        assert!(replayed > before, "only {replayed} runs fail");
    }
    assert!(natively * effort.native_every * 4 >= replayed, "only {natively} of {replayed} runs were native too");
    println!("{replayed} failing runs replayed, {natively} of them natively as well");
}

/// What a witness holds, apart from the program.
type FailingRun = (Execution, Failure);

/// A program with a bug, ready to run.
struct Subject {
    case: Case,
    memory: MemoryModel,
    args: Vec<String>,
    loaded: Loaded,
    facts: Facts,
    native: Option<ReplayBinary>,
    /// Where its native executable is.
    _directory: tempfile::TempDir,
    next_seed: u64,
}

fn subjects(effort: &Effort) -> Vec<Subject> {
    let buggy = |case: &Case| case.expected.as_ref().is_some_and(|e| e.verdict == "bug");
    let cases: Vec<Case> = support::all_cases().into_iter().filter(buggy).collect();
    let (even, odd): (Vec<_>, Vec<_>) = cases.into_iter().enumerate().partition(|(i, _)| i % 2 == 0);
    let load = |cases: Vec<(usize, Case)>| -> Vec<Subject> {
        cases.into_iter().map(|(i, case)| Subject::new(case, i % effort.native_every == 0)).collect()
    };
    std::thread::scope(|scope| {
        let odd = scope.spawn(|| load(odd));
        let mut all = load(even);
        all.extend(odd.join().expect("the programs can be loaded"));
        all
    })
}

impl Subject {
    fn new(case: Case, native: bool) -> Subject {
        let words = |text: &Option<String>| -> Vec<String> {
            text.iter().flat_map(|text| text.split_whitespace()).map(str::to_owned).collect()
        };
        let (cflags, args) = (words(&case.cflags), words(&case.args));
        let memory = match case.memory.as_deref() {
            Some("tso") => MemoryModel::Tso,
            Some("pso") => MemoryModel::Pso,
            _ => MemoryModel::Sc,
        };
        let options = CompileOptions { cflags, args: args.clone(), ..CompileOptions::default() };
        let loaded = ordain_ir::load(std::slice::from_ref(&case.file), &options)
            .unwrap_or_else(|e| panic!("{}: {e}", case.name));
        let facts = Facts::new(&loaded.program);
        let directory = tempfile::tempdir().expect("a temporary directory");
        let native = native.then(|| {
            build_replay(&loaded.bitcode, &directory.path().join("replay"))
                .unwrap_or_else(|e| panic!("{}: {e}", case.name))
        });
        Subject { case, memory, args, loaded, facts, native, _directory: directory, next_seed: 0 }
    }

    fn machine(&self, inputs: Inputs) -> Machine<'_> {
        let config = Config { memory: self.memory, races: RaceMode::Full, ..Config::default() };
        let mut machine = Machine::alone(&self.loaded.program, &self.facts, config);
        machine.provide_inputs(inputs);
        machine
    }

    /// The next random run that fails, if one is found.
    fn next_failing_run(&mut self) -> Option<FailingRun> {
        while self.next_seed < MOST_SEEDS {
            let seed = self.next_seed;
            self.next_seed += 1;
            let mut machine = self.machine(Inputs::random(seed));
            schedulers::run(&mut machine, scheduler(self.memory, seed).as_mut(), MOST_CHOICES);
            if let Some(claim) = failures(&machine).pop() {
                return Some((machine.execution(), claim));
            }
        }
        None
    }

    /// Replays what a witness file would hold.
    fn replay(&self, run: &FailingRun) {
        let name = &self.case.name;
        let text = serde_json::to_string(run).expect("a run can be written");
        let read: FailingRun = serde_json::from_str(&text).expect("what was written can be read");
        let (execution, claim) = read;
        // Of the functions that a thread was in, a witness says nothing.
        assert_eq!((&execution, &claim), (&run.0, &Failure { stack: Vec::new(), ..run.1.clone() }), "{name}");
        let mut machine = self.machine(Inputs::of(&execution));
        let mut follow = Follow::new(&execution.schedule);
        schedulers::run(&mut machine, &mut follow, u64::MAX);
        assert_eq!(follow.divergence(), None, "{name}: {text}");
        assert!(failures(&machine).iter().any(|f| f.same_claim(&claim)), "{name}: not in the machine: {text}");
    }

    /// Whether the run was one to be had natively, and was.
    fn replay_natively(&self, (execution, claim): &FailingRun) -> bool {
        let Some(binary) = &self.native else { return false };
        if cannot_show(claim.kind).is_some() {
            return false;
        }
        let outcome = binary
            .run(
                execution,
                Start { args: &self.args, ..Start::default() },
                &Claim::Failure(claim.clone()),
                Output::Discard,
            )
            .unwrap_or_else(|e| panic!("{}: {e}", self.case.name));
        assert_eq!(outcome, NativeOutcome::Reproduced, "{}: {claim:?} {execution:?}", self.case.name);
        true
    }
}

fn scheduler(memory: MemoryModel, seed: u64) -> Box<dyn Scheduler> {
    match memory {
        MemoryModel::Sc if seed % 3 == 2 => Box::new(Pct::new(PCT_DEPTH, PCT_LENGTH, seed)),
        MemoryModel::Sc => Box::new(Random::new(seed)),
        MemoryModel::Tso | MemoryModel::Pso => Box::new(StoreBuffers::new(seed)),
    }
}

/// What went wrong in a run, the failure that ended it last.
fn failures(machine: &Machine<'_>) -> Vec<Failure> {
    let mut failures = machine.races().to_vec();
    if let Some(End::Failed(failure)) = machine.end() {
        failures.push(failure.clone());
    }
    failures
}
