//! The machine's fast interpreter does what the plain one does, to the last instruction: the same programs, under the same
//! schedules, with the one and with the other.

use ordain_ir::CompileOptions;
use ordain_ir::facts::Facts;
use ordain_judge::generator::{Profile, generate, generate_race_free};
use ordain_model::failure::Failure;
use ordain_model::witness::{Execution, MemoryModel};
use ordain_vm::schedulers::{Outcome, Pct, Random, RoundRobin, RunToBlock, Scheduler, StoreBuffers, run};
use ordain_vm::{Config, Interpreter, Machine, RaceMode};
use std::path::{Path, PathBuf};

/// Enough for nearly all programs to end. Those that never do are compared so far.
const MOST_POINTS: u64 = 60_000;
/// Store buffers get long, and then take long to choose from.
const MOST_BUFFERED_POINTS: u64 = 2_000;
/// Of every this many programs of `make fuzz`, one is compared here.
const SHARE: u64 = 10;

/// All that can be seen of a run.
#[derive(PartialEq, Debug)]
struct Seen {
    outcome: Outcome,
    output: String,
    error_output: String,
    races: Vec<Failure>,
    stuck: Vec<Failure>,
    points: Vec<u64>,
    instructions: u64,
    execution: Execution,
}

type Named = (&'static str, MemoryModel, RaceMode, Box<dyn Fn() -> Box<dyn Scheduler>>);

/// Ways to run a program: turns of all lengths, all memory models, all ways to look for races.
fn ways(seed: u64) -> Vec<Named> {
    use MemoryModel::{Pso, Sc, Tso};
    use RaceMode::{Full, Last, Off};
    let quantum = 2 + seed as u32 % 7;
    vec![
        ("to the next block", Sc, Off, Box::new(|| Box::new(RunToBlock::default()))),
        ("to the next block, races", Sc, Last, Box::new(|| Box::new(RunToBlock::default()))),
        ("in short turns", Sc, Last, Box::new(move || Box::new(RoundRobin::new(quantum)))),
        ("in turns", Sc, Off, Box::new(|| Box::new(RoundRobin::new(100)))),
        ("at random", Sc, Last, Box::new(move || Box::new(Random::new(seed)))),
        ("at random, all races", Sc, Full, Box::new(move || Box::new(Random::new(seed + 1)))),
        ("by priority", Sc, Last, Box::new(move || Box::new(Pct::new(3, 500, seed)))),
        ("under TSO", Tso, Last, Box::new(move || Box::new(StoreBuffers::new(seed)))),
        ("under PSO", Pso, Off, Box::new(move || Box::new(StoreBuffers::new(seed)))),
    ]
}

fn compare(file: &Path, cflags: &[&str], seed: u64) {
    let cflags = cflags.iter().map(|flag| (*flag).to_owned()).collect();
    let options = CompileOptions { cflags, ..CompileOptions::default() };
    let loaded = ordain_ir::load(&[file.to_owned()], &options).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let facts = Facts::new(&loaded.program);
    for (name, memory, races, scheduler) in ways(seed) {
        let seen = |interpreter| {
            let config = Config { interpreter, memory, races, reuse_stack: seed % 2 == 1, ..Config::default() };
            let mut machine = Machine::alone(&loaded.program, &facts, config);
            let most = if memory == MemoryModel::Sc { MOST_POINTS } else { MOST_BUFFERED_POINTS };
            let outcome = run(&mut machine, scheduler().as_mut(), most);
            see(&machine, outcome)
        };
        assert_eq!(seen(Interpreter::Fast), seen(Interpreter::Plain), "{} {name}", file.display());
    }
}

fn see(machine: &Machine<'_>, outcome: Outcome) -> Seen {
    Seen {
        outcome,
        output: String::from_utf8_lossy(machine.output()).into_owned(),
        error_output: String::from_utf8_lossy(machine.error_output()).into_owned(),
        races: machine.races().to_vec(),
        stuck: machine.stuck().to_vec(),
        points: machine.thread_ids().map(|thread| machine.points(thread)).collect(),
        instructions: machine.instructions(),
        execution: machine.execution(),
    }
}

fn set_helper() {
    ordain_ir::child::set_helper(env!("CARGO_BIN_EXE_ordain-judge").into());
}

fn collection() -> Vec<PathBuf> {
    let directory = here("../../tests/programs");
    let entries = std::fs::read_dir(&directory).unwrap_or_else(|e| panic!("{}: {e}", directory.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "c"));
    files.sort();
    files
}

/// The flags that the first lines of a program ask for.
fn flags(text: &str) -> Vec<&str> {
    let header = text.lines().take_while(|line| line.starts_with("//"));
    header.filter_map(|line| line.strip_prefix("// cflags:")).last().unwrap_or("").split_whitespace().collect()
}

fn here(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(file)
}

#[test]
fn programs_for_the_fast_interpreter_do_the_same_in_both() {
    set_helper();
    let trouble = ["-DNONE", "-DRACE", "-DUNDEFINED", "-DBOUNDS", "-DFREED"];
    for (seed, level) in ["-O0", "-O1", "-O2"].into_iter().enumerate() {
        compare(&here("tests/interpreted/numbers.c"), &[level], seed as u64);
        compare(&here("tests/interpreted/carried.c"), &[level], seed as u64);
        for (n, trouble) in trouble.into_iter().enumerate() {
            compare(&here("tests/interpreted/blocks.c"), &[level, trouble], (seed + n) as u64);
        }
    }
}

#[test]
fn the_first_points_of_benchmarks_are_the_same_in_both() {
    set_helper();
    for (seed, kernel) in ["sieve", "matmul", "digest", "compress", "tree"].into_iter().enumerate() {
        let file = here("../../bench/kernels").join(format!("{kernel}.c"));
        compare(&file, &["-O1", "-DPARTS=2"], seed as u64);
    }
}

#[test]
fn the_collected_programs_do_the_same_in_both() {
    set_helper();
    for (seed, file) in collection().into_iter().enumerate() {
        let text = std::fs::read_to_string(&file).expect("readable");
        compare(&file, &flags(&text), seed as u64);
    }
}

#[test]
fn random_programs_do_the_same_in_both() {
    set_helper();
    let asked = std::env::var("ORDAIN_FUZZ_CASES").ok().and_then(|n| n.parse::<u64>().ok());
    let programs = asked.map_or(10, |n| n / SHARE);
    let directory = tempfile::tempdir().expect("a temporary directory");
    for seed in 0..programs {
        let profile = Profile::ALL[seed as usize % Profile::ALL.len()];
        for (n, source) in [generate_race_free(seed), generate(seed, profile)].into_iter().enumerate() {
            let file = directory.path().join(format!("program{seed}-{n}.c"));
            std::fs::write(&file, source.to_c()).expect("can be written");
            compare(&file, &[if seed % 2 == 0 { "-O0" } else { "-O2" }], seed);
        }
    }
}
