//! The enumerator against the plain machine: whatever a random schedule shows must be among what was enumerated.
//!
//! The machine finds races with clocks, the enumerator by who knows of which access: that each finds what the other
//! does is checked here as well.

use crate::common;
use ordain_ir::facts::Facts;
use ordain_ir::program::Program;
use ordain_judge::enumerate::{Limits, enumerate};
use ordain_judge::findings::{Findings, Verdict};
use ordain_judge::generator::{Profile, Rng, generate};
use ordain_model::failure::FailureKind;
use ordain_model::witness::MemoryModel;
use ordain_vm::{Config, End, Machine, PendingKind, RaceMode, Status};

const RUNS: u64 = 60;
/// A run of threads that only spin is cut off.
const MOST_STEPS: usize = 500;

/// What one random run shows.
fn random_run(program: &Program, facts: &Facts, memory: MemoryModel, rng: &mut Rng) -> Findings {
    let races = if memory == MemoryModel::Sc { RaceMode::Full } else { RaceMode::Off };
    let mut machine = Machine::alone(program, facts, Config { memory, races, ..Config::default() });
    let mut findings = Findings::default();
    for _ in 0..MOST_STEPS {
        if machine.end().is_some() {
            break;
        }
        random_turn(&mut machine, rng);
    }
    for race in machine.races() {
        let (a, b) = (race.place.line, race.others[0].1.line);
        findings.races.insert((a.min(b), a.max(b)));
    }
    match machine.end() {
        Some(End::Exit(status)) => {
            let output = String::from_utf8_lossy(machine.output()).into_owned();
            findings.exits.insert((*status, output));
        }
        Some(End::Failed(f)) if matches!(f.kind, FailureKind::Deadlock | FailureKind::Hang) => {
            findings.stuck.insert((f.kind, f.thread.clone(), f.place.line));
            findings.stuck.extend(f.others.iter().map(|(thread, place)| (f.kind, thread.clone(), place.line)));
        }
        Some(End::Failed(f)) => {
            findings.errors.insert((f.kind, f.place.line));
        }
        Some(End::AssumeViolated | End::Unsupported { .. }) | None => {}
    }
    findings
}

fn random_turn(machine: &mut Machine<'_>, rng: &mut Rng) {
    let may_run = |t: &_| matches!(machine.status(*t), Status::Ready | Status::Awaiting);
    let threads: Vec<_> = machine.thread_ids().filter(may_run).collect();
    let commits = machine.commits();
    if threads.is_empty() || (!commits.is_empty() && rng.chance(40)) {
        let (thread, nth) = rng.pick(&commits);
        return machine.commit(thread, nth);
    }
    let thread = rng.pick(&threads);
    if let Some(PendingKind::Input { nth, .. }) = machine.pending(thread).map(|p| p.kind) {
        let name = machine.name(thread).clone();
        machine.set_input(name, nth, vec![rng.next_u64() as u8]);
    }
    machine.step(thread);
}

fn is_subset(some: &Findings, all: &Findings) -> bool {
    some.errors.is_subset(&all.errors)
        && some.stuck.is_subset(&all.stuck)
        && some.races.is_subset(&all.races)
        && some.exits.is_subset(&all.exits)
}

fn check(seed: u64, profile: Profile, memory: MemoryModel) -> (Verdict, Findings) {
    let source = generate(seed, profile).to_c();
    let program = common::load(&source);
    let facts = Facts::new(&program);
    let limits = Limits { paths: false, ..Limits::default() };
    let verdict = enumerate(&program, &facts, memory, limits);
    assert!(verdict.incomplete.is_none(), "{source}\n{verdict}");
    let mut rng = Rng::new(seed);
    let mut seen = Findings::default();
    for _ in 0..RUNS {
        let run = random_run(&program, &facts, memory, &mut rng);
        assert!(is_subset(&run, &verdict.found), "{source}\nunder {memory:?} there is also\n{run}besides\n{verdict}");
        seen.errors.extend(run.errors);
        seen.races.extend(run.races);
    }
    (verdict, seen)
}

#[test]
fn random_runs_show_nothing_that_was_not_enumerated() {
    let programs = common::programs(6);
    let (mut races, mut races_seen) = (0, 0);
    for profile in Profile::ALL {
        for seed in 0..programs {
            let (verdict, seen) = check(seed, profile, MemoryModel::Sc);
            races += verdict.found.races.len();
            races_seen += seen.races.len();
            check(seed, profile, if seed % 2 == 0 { MemoryModel::Tso } else { MemoryModel::Pso });
        }
    }
    // The other way round there is no certainty; but races are not rare, so most of them show.
    assert!(races_seen * 10 >= races * 7, "random runs show {races_seen} of {races} races");
}
