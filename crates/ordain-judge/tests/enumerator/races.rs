//! Two ways to find races, over all interleavings: the machine's, with clocks, and the enumerator's, by who knows of
//! which access. They must find the same pairs of lines.

use crate::common;
use ordain_ir::facts::Facts;
use ordain_ir::program::Program;
use ordain_judge::enumerate::{Limits, enumerate};
use ordain_judge::findings::Line;
use ordain_judge::generator::{Profile, generate};
use ordain_model::witness::MemoryModel;
use ordain_vm::{Config, Machine, RaceMode, Status};
use std::collections::{BTreeSet, HashSet};

/// The races that the machine itself finds in any run.
fn races_by_clocks(program: &Program, facts: &Facts) -> BTreeSet<(Line, Line)> {
    let config = Config { races: RaceMode::Full, stop_when_stuck: false, ..Config::default() };
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
            open.extend(common::after_step(&machine, thread));
        }
    }
    races
}

#[test]
fn clocks_and_knowledge_agree_on_races() {
    let programs = common::programs(6);
    for profile in Profile::ALL {
        for seed in 0..programs {
            let source = generate(seed, profile).to_c();
            let program = common::load(&source);
            let facts = Facts::new(&program);
            let limits = Limits { paths: false, ..Limits::default() };
            let verdict = enumerate(&program, &facts, MemoryModel::Sc, limits);
            assert_eq!(verdict.found.races, races_by_clocks(&program, &facts), "{source}");
        }
    }
}
