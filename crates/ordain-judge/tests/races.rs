//! Two ways to find races, over all interleavings: the machine's, with clocks, and the enumerator's, by who knows of
//! which access. They must find the same pairs of lines.

use ordain_ir::CompileOptions;
use ordain_ir::facts::Facts;
use ordain_ir::program::Program;
use ordain_judge::enumerate::{Limits, enumerate};
use ordain_judge::findings::Line;
use ordain_judge::generator::{Profile, generate};
use ordain_model::witness::MemoryModel;
use ordain_vm::{Config, Machine, PendingKind, RaceMode, Status};
use std::collections::{BTreeSet, HashSet};
use std::fs;

const PROGRAMS: u64 = 6;

/// The races that the machine itself finds in any run. Inputs of generated programs have at most four values.
fn races_by_clocks(program: &Program, facts: &Facts) -> BTreeSet<(Line, Line)> {
    let config = Config { races: RaceMode::Full, ..Config::default() };
    let mut races = BTreeSet::new();
    let mut visited = HashSet::new();
    let mut open = vec![Machine::alone(program, facts, config)];
    while let Some(machine) = open.pop() {
        for race in machine.races() {
            let (a, b) = (race.place.line, race.others[0].1.line);
            races.insert((a.min(b), a.max(b)));
        }
        if machine.end().is_some() || !visited.insert(machine.fingerprint()) {
            continue;
        }
        let may_run = |t: &_| matches!(machine.status(*t), Status::Ready | Status::Awaiting);
        for thread in machine.thread_ids().filter(may_run) {
            let input = match machine.pending(thread).map(|p| p.kind) {
                Some(PendingKind::Input { nth, .. }) => Some(nth),
                _ => None,
            };
            for value in 0..if input.is_some() { 4 } else { 1 } {
                let mut next = machine.clone();
                if let Some(nth) = input {
                    next.set_input(machine.name(thread).clone(), nth, vec![value]);
                }
                next.step(thread);
                open.push(next);
            }
        }
    }
    races
}

#[test]
fn clocks_and_knowledge_agree_on_races() {
    ordain_ir::child::set_helper(env!("CARGO_BIN_EXE_ordain-judge").into());
    let directory = tempfile::tempdir().expect("there is a place for temporary files");
    let file = directory.path().join("program.c");
    let asked = std::env::var("ORDAIN_FUZZ_CASES").ok().and_then(|n| n.parse::<u64>().ok());
    for profile in Profile::ALL {
        for seed in 0..asked.map_or(PROGRAMS, |n| n / Profile::ALL.len() as u64) {
            let source = generate(seed, profile).to_c();
            fs::write(&file, &source).expect("the program can be written");
            let loaded = ordain_ir::load(std::slice::from_ref(&file), &CompileOptions::default()).expect("it compiles");
            let facts = Facts::new(&loaded.program);
            let limits = Limits { paths: false, ..Limits::default() };
            let verdict = enumerate(&loaded.program, &facts, MemoryModel::Sc, limits);
            assert_eq!(verdict.found.races, races_by_clocks(&loaded.program, &facts), "{source}");
        }
    }
}
