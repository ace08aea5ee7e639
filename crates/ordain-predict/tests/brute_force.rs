//! What `predict` makes of random runs of random programs, against brute force: exactly the races, stuck threads, uses of freed memory and
//! violations of atomicity that some order of the run's events, or of a part of them, has.
//!
//! `ORDAIN_FUZZ_CASES` says how many runs, `ORDAIN_FUZZ_SEED` where to begin.

mod support;

use ordain_explore::{Error, Options, Summary};
use ordain_ir::facts::Facts;
use ordain_ir::program::Program;
use ordain_judge::cases::number;
use ordain_judge::generator::Profile;
use ordain_model::failure::FailureKind;
use ordain_predict::{Run, Which, Window, predict};
use ordain_vm::schedulers::{self, Follow};
use ordain_vm::{Config, Inputs, Machine};
use std::time::Duration;
use support::{Findings, MISUSE, Regions, SAMPLE, numbered, passing_run, program, without_awaits};

const MOST_TIME: Duration = Duration::from_secs(30);

#[derive(Debug)]
enum Comparison {
    Same,
    TooLarge,
    TooSlow,
    Different(String),
}

/// Which regions of a run can be judged.
fn judged(program: &Program, run: &Run, with: Regions) -> Regions {
    // What a thread would have done next is not part of its region, which brute force does not know; and rounds of waiting are no
    // accesses to the model.
    let waits = run.script.open.iter().any(|&(function, _)| !program.function(function).model);
    if run.whole && !waits { with } else { Regions::LeftOut }
}

fn compare(program: &Program, facts: &Facts, run: &Run, with: Regions) -> Comparison {
    let with = judged(program, run, with);
    let Some(expected) = Findings::brute_force(program, facts, run, with) else { return Comparison::TooLarge };
    let predicted = predict(program, run, &options(with), &mut |_| {});
    held_to(&expected, predicted.map(|prediction| prediction.summary))
}

/// The same from some moment of the run on.
fn compare_window(program: &Program, facts: &Facts, run: &Run, with: Regions, from: u64) -> Comparison {
    let with = judged(program, run, with);
    let mut machine = Machine::alone(program, facts, Config::default());
    machine.provide_inputs(Inputs::of(&run.execution));
    let mut follow = Follow::new(&run.execution.schedule);
    schedulers::run(&mut machine, &mut follow, from);
    while !machine.is_outside_atomic_sections() {
        schedulers::run(&mut machine, &mut follow, 1);
    }
    let inputs = Inputs::of(&run.execution);
    let window = Window::new(machine, facts, inputs, &mut follow, u64::MAX, Which::Threads);
    let judged = (&window.script, &run.execution.inputs[..], Some(&window.scene));
    let Some(expected) = Findings::from_scene(program, facts, judged, with) else { return Comparison::TooLarge };
    held_to(&expected, window.predict(facts, &options(with), &[], &mut |_| {}))
}

fn options(with: Regions) -> Options {
    let mut check = vec![FailureKind::Race, FailureKind::Deadlock, FailureKind::Hang];
    check.extend((with == Regions::Judged).then_some(FailureKind::Atomicity));
    check.extend(MISUSE);
    Options { check, time: Some(MOST_TIME), ..Options::default() }
}

fn held_to(expected: &Findings, prediction: Result<Summary, Error>) -> Comparison {
    let summary = match prediction {
        Ok(summary) => summary,
        Err(error) => return Comparison::Different(error.to_string()),
    };
    if summary.stopped.is_some() {
        return Comparison::TooSlow;
    }
    let found = Findings::of(&summary.bugs);
    match found == *expected {
        true => Comparison::Same,
        false => {
            Comparison::Different(format!("predicted:   {found:?}\nbrute force: {expected:?}\n{:?}", summary.verdict))
        }
    }
}

/// How much of a run is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    Whole,
    /// What is left of it after a random moment.
    Window,
}

/// What comes of one random program; `None` if no run of it passes.
fn judge(seed: u64, profiles: &[Profile], with: Regions, part: Part) -> Option<Comparison> {
    let program = program(seed, profiles);
    let facts = Facts::new(&program);
    let run = passing_run(&program, &facts, seed)?;
    Some(match part {
        Part::Whole => compare(&program, &facts, &run, with),
        Part::Window => {
            let points = run.execution.points();
            compare_window(&program, &facts, &run, with, seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) % points)
        }
    })
}

fn judge_all(profiles: &[Profile], with: Regions, part: Part) {
    let (first, cases) = (number("ORDAIN_FUZZ_SEED", 1), number("ORDAIN_FUZZ_CASES", SAMPLE));
    let (mut same, mut too_large, mut too_slow) = (0, Vec::new(), Vec::new());
    let mut seed = first;
    while same + (too_large.len() + too_slow.len()) as u64 != cases {
        match judge(seed, profiles, with, part) {
            None => {}
            Some(Comparison::Same) => same += 1,
            Some(Comparison::TooLarge) => too_large.push(seed),
            Some(Comparison::TooSlow) => too_slow.push(seed),
            Some(Comparison::Different(what)) => {
                panic!("seed {seed}, predicted:\n{}{what}", numbered(seed, profiles));
            }
        }
        seed += 1;
    }
    println!("{same} runs agree (seeds {first} to {seed}); too large: {too_large:?}; too slow: {too_slow:?}");
    assert!(same * 2 > cases, "too few of {cases} runs were decided");
}

const WAITING: [Profile; 3] = [Profile::Awaits, Profile::Conditions, Profile::Primitives];

#[test]
fn own_synchronisation() {
    judge_all(&without_awaits(), Regions::Judged, Part::Whole);
}

/// Programs that something was found wrong by: a thread that ends with the second access; one that has only just begun; paths that meet;
/// mutexes that a thread lets go of, in another node, and after a store that drains its buffer; threads that leave their way for their end.
#[test]
fn found_before() {
    for seed in [1178, 5544, 9146, 20400, 31439, 70201, 70294] {
        let comparison = judge(seed, &without_awaits(), Regions::Judged, Part::Whole);
        assert!(matches!(comparison, Some(Comparison::Same)), "seed {seed}, predicted: {comparison:?}");
    }
}

/// A window that begins where a thread has been woken and has not gone on yet.
#[test]
fn windows_found_before() {
    let comparison = judge(500_878, &WAITING, Regions::LeftOut, Part::Window);
    assert!(matches!(comparison, Some(Comparison::Same)), "{comparison:?}");
}

#[test]
fn waiting_and_the_library() {
    judge_all(&WAITING, Regions::LeftOut, Part::Whole);
}

#[test]
fn windows_of_own_synchronisation() {
    judge_all(&without_awaits(), Regions::Judged, Part::Window);
}

#[test]
fn windows_of_waiting_and_the_library() {
    judge_all(&WAITING, Regions::LeftOut, Part::Window);
}
