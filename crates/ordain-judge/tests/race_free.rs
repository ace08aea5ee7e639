//! Programs without races print in the machine what they print natively, whatever the scheduler and the memory model; and
//! no race is found in them.

use ordain_ir::facts::Facts;
use ordain_ir::{CLANG, CompileOptions};
use ordain_judge::generator::generate_race_free;
use ordain_model::witness::MemoryModel;
use ordain_vm::schedulers::{Outcome, Pct, Random, RoundRobin, RunToBlock, Scheduler, StoreBuffers, run};
use ordain_vm::{Config, End, Machine, RaceMode};
use std::path::Path;
use std::process::Command;

/// Seeds for each way of scheduling.
const SEEDS: u64 = 20;
/// Far more than any of these programs has points.
const MOST_CHOICES: u64 = 5_000_000;
const PCT_DEPTH: u32 = 4;
const PCT_LENGTH: u64 = 2_000;
/// Of every this many programs of `make fuzz`, one is of this kind: each is run many times.
const SHARE: u64 = 10;

#[test]
fn race_free_programs_do_what_they_do_natively() {
    ordain_ir::child::set_helper(env!("CARGO_BIN_EXE_ordain-judge").into());
    let asked = std::env::var("ORDAIN_FUZZ_CASES").ok().and_then(|n| n.parse::<u64>().ok());
    let programs = asked.map_or(12, |n| n / SHARE);
    for seed in 0..programs {
        check(seed);
    }
}

fn check(seed: u64) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("program.c");
    std::fs::write(&file, generate_race_free(seed).to_c()).expect("the program can be written");
    // What is optimised is still the same program, since it has no races.
    let level = if seed.is_multiple_of(2) { "-O0" } else { "-O1" };
    let expected = native_output(&file, directory.path());
    let options = CompileOptions { cflags: vec![level.into()], ..CompileOptions::default() };
    let loaded = ordain_ir::load(&[file], &options).unwrap_or_else(|e| panic!("program {seed}: {e}"));
    let facts = Facts::new(&loaded.program);
    for (name, memory, mut scheduler) in schedulers() {
        let config = Config { memory, races: RaceMode::Last, ..Config::default() };
        let mut machine = Machine::alone(&loaded.program, &facts, config);
        let outcome = run(&mut machine, scheduler.as_mut(), MOST_CHOICES);
        let what = format!("program {seed} at {level}, {name}");
        assert_eq!(outcome, Outcome::Ended(End::Exit(0)), "{what}");
        assert_eq!(String::from_utf8_lossy(machine.output()), expected, "{what}");
        assert_eq!(machine.races(), &[], "{what}");
    }
}

fn native_output(file: &Path, directory: &Path) -> String {
    let executable = directory.join("native");
    let status = Command::new(CLANG).args(["-O1", "-w", "-pthread", "-o"]).arg(&executable).arg(file).status();
    assert!(status.expect("clang runs").success());
    let output = Command::new(&executable).output().expect("the program runs");
    assert!(output.status.success(), "{}", output.status);
    String::from_utf8(output.stdout).expect("the program prints numbers")
}

fn schedulers() -> impl Iterator<Item = (String, MemoryModel, Box<dyn Scheduler>)> {
    use MemoryModel::{Pso, Sc, Tso};
    let seeded = (0..SEEDS).flat_map(|seed| -> [(String, MemoryModel, Box<dyn Scheduler>); 5] {
        let quantum = seed as u32 + 1;
        [
            (format!("round robin by {quantum}"), Sc, Box::new(RoundRobin::new(quantum))),
            (format!("random {seed}"), Sc, Box::new(Random::new(seed))),
            (format!("pct {seed}"), Sc, Box::new(Pct::new(PCT_DEPTH, PCT_LENGTH, seed))),
            (format!("tso {seed}"), Tso, Box::new(StoreBuffers::new(seed))),
            (format!("pso {seed}"), Pso, Box::new(StoreBuffers::new(seed))),
        ]
    });
    let run_to_block: Box<dyn Scheduler> = Box::new(RunToBlock::default());
    std::iter::once(("run to block".into(), Sc, run_to_block)).chain(seeded)
}
