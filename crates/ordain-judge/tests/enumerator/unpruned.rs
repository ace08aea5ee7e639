//! The enumerator against a search that never recognises a state: it must not lose anything by not going where it has
//! been before.

use crate::common;
use ordain_ir::facts::Facts;
use ordain_ir::program::Program;
use ordain_judge::enumerate::{Limits, enumerate};
use ordain_judge::findings::{Branch, Findings};
use ordain_judge::generator::{Profile, generate};
use ordain_model::failure::FailureKind;
use ordain_model::witness::MemoryModel;
use ordain_vm::{Config, End, Machine, Status};

/// Programs with more steps than that, over all executions, are left out.
const MOST_STEPS: usize = 40_000;

/// What all executions show; `None` if there are too many. Threads that wait in vain for memory to change are left
/// alone, or there would be no end.
fn all_executions(program: &Program, facts: &Facts, memory: MemoryModel) -> Option<Findings> {
    let config = Config { memory, branches: true, stop_when_stuck: false, ..Config::default() };
    let mut findings = Findings::default();
    let mut open = vec![Machine::alone(program, facts, config)];
    for _ in 0..MOST_STEPS {
        let Some(machine) = open.pop() else { return Some(findings) };
        for f in machine.stuck() {
            findings.stuck.insert((f.kind, f.thread.clone(), f.place.line));
            findings.stuck.extend(f.others.iter().map(|(thread, place)| (f.kind, thread.clone(), place.line)));
        }
        if let Some(end) = machine.end() {
            collect(&mut findings, &machine, end);
            continue;
        }
        for thread in machine.thread_ids().filter(|t| machine.status(*t) == Status::Ready) {
            open.extend(common::after_step(&machine, thread));
        }
        for (thread, nth) in machine.commits() {
            let mut next = machine.clone();
            next.commit(thread, nth);
            open.push(next);
        }
    }
    None
}

fn collect(findings: &mut Findings, machine: &Machine<'_>, end: &End) {
    match end {
        End::Exit(status) => {
            let output = String::from_utf8_lossy(machine.output()).into_owned();
            findings.exits.insert((*status, output));
        }
        End::Failed(f) if matches!(f.kind, FailureKind::Deadlock | FailureKind::Hang) => {}
        End::Failed(f) => {
            findings.errors.insert((f.kind, f.place.line));
        }
        End::AssumeViolated | End::Unsupported { .. } => return,
    }
    let has_ended = |t| machine.status(t) == Status::Ended;
    if !matches!(end, End::Exit(_)) || !machine.thread_ids().skip(1).all(has_ended) {
        return;
    }
    let path = |thread| {
        let branches = machine.branches(thread).iter();
        branches.map(|b| Branch { function: b.function, pc: b.pc, to: b.to }).collect()
    };
    findings.paths.insert(machine.thread_ids().map(|t| (machine.name(t).clone(), path(t))).collect());
}

#[test]
fn recognising_states_loses_nothing() {
    let programs = common::programs(8);
    let mut compared = 0;
    for profile in Profile::ALL {
        for seed in 0..programs {
            let source = generate(seed, profile).to_c();
            let program = common::load(&source);
            let facts = Facts::new(&program);
            for memory in [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso] {
                let Some(all) = all_executions(&program, &facts, memory) else { continue };
                compared += 1;
                let verdict = enumerate(&program, &facts, memory, Limits { races: false, ..Limits::default() });
                assert_eq!(verdict.found, all, "{source}\nunder {memory:?}");
            }
        }
    }
    assert!(compared > programs, "{compared} programs were small enough");
}
