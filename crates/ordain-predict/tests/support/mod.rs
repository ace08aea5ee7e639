//! Random runs of random programs, and what brute force finds in them: the races, stuck threads, uses of freed memory and violations of
//! atomicity that some order of the run's events, or of a part of them, has.
//!
//! `ORDAIN_FUZZ_CASES` says how many runs, `ORDAIN_FUZZ_SEED` where to begin.

use ordain_explore::Bug;
use ordain_ir::facts::Facts;
use ordain_ir::program::Program;
use ordain_judge::cases::load;
use ordain_judge::findings::Line;
use ordain_judge::generator::{Profile, generate};
use ordain_judge::predict::{self as judge, Split};
use ordain_model::failure::{Failure, FailureKind};
use ordain_model::names::ThreadName;
use ordain_model::witness::InputValue;
use ordain_predict::{Ended, Run, Which, is_left_open, run};
use ordain_reproduce::Ways;
use ordain_unfold::Script;
use ordain_vm::schedulers::Random;
use ordain_vm::tape::Tape;
use ordain_vm::{Branch, Inputs, Machine};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Runs that one test looks at by default.
pub const SAMPLE: u64 = 40;
/// States that brute force may go through.
const MOST_STATES: usize = 30_000;
/// Points after which a random run has no end.
const MOST_POINTS: u64 = 100_000;
/// Random runs of a program before the next one has its turn.
const ATTEMPTS: u64 = 10;

pub const MISUSE: [FailureKind; 2] = [FailureKind::UseAfterFree, FailureKind::DoubleFree];

/// What there is to find.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Findings {
    pub misuse: BTreeSet<(FailureKind, Line)>,
    pub stuck: BTreeSet<(FailureKind, ThreadName, Line)>,
    pub races: BTreeSet<(Line, Line)>,
    pub splits: BTreeSet<Split>,
}

/// Whether violations of atomicity are judged. The model leaves out rounds of waiting, which brute force takes for accesses like any other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Regions {
    Judged,
    LeftOut,
}

impl Findings {
    /// What was predicted.
    pub fn of(bugs: &[Bug]) -> Findings {
        let mut found = Findings::default();
        for Failure { kind, thread, place, others, .. } in bugs.iter().map(|bug| &bug.failure) {
            let line = |i: usize| others[i].1.line;
            match kind {
                FailureKind::Race => {
                    found.races.insert((place.line.min(line(0)), place.line.max(line(0))));
                }
                FailureKind::Deadlock | FailureKind::Hang => {
                    let all = others.iter().map(|(thread, place)| (thread, place)).chain([(thread, place)]);
                    found.stuck.extend(all.map(|(thread, place)| (*kind, thread.clone(), place.line)));
                }
                // Brute force looks for three accesses, not for four.
                FailureKind::Atomicity if others.len() > 2 => {}
                FailureKind::Atomicity => {
                    found.splits.insert((line(0), line(1), place.line));
                }
                kind => {
                    found.misuse.insert((*kind, place.line));
                }
            }
        }
        found
    }

    /// `None` if there is too much to go through.
    pub fn brute_force(program: &Program, facts: &Facts, run: &Run, with: Regions) -> Option<Findings> {
        Self::from_scene(program, facts, (&run.script, &run.execution.inputs, None), with)
    }

    /// The same of what threads do, and are given, from where a machine is.
    pub fn from_scene<'p>(
        program: &'p Program,
        facts: &'p Facts,
        (script, inputs, scene): (&Script, &[InputValue], Option<&Machine<'p>>),
        with: Regions,
    ) -> Option<Findings> {
        let ways = Ways::of_script(program, script.clone());
        let exactly = |tape: &Arc<Tape>| Arc::new(Tape { knowledge: Arc::default(), ..Tape::clone(tape) });
        let tapes = ways.tapes.iter().map(|(thread, tape)| (thread.clone(), exactly(tape))).collect();
        let is_left_open = |b: &Branch| is_left_open(script, b.function, b.pc);
        let judged = judge::Run { tapes: &tapes, inputs, is_left_open: &is_left_open, scene };
        let found = judge::findings(program, facts, &judged, MOST_STATES)?;
        Some(Findings {
            misuse: found.errors.into_iter().filter(|(kind, _)| MISUSE.contains(kind)).collect(),
            stuck: found.stuck,
            races: found.races,
            splits: match with {
                Regions::Judged => judge::splits(program, facts, &judged, MOST_STATES)?,
                Regions::LeftOut => BTreeSet::new(),
            },
        })
    }
}

/// The program of a seed.
pub fn program(seed: u64, profiles: &[Profile]) -> Program {
    load(&generate(seed, profiles[seed as usize % profiles.len()]))
}

/// Its source, with the numbers of lines.
pub fn numbered(seed: u64, profiles: &[Profile]) -> String {
    let source = generate(seed, profiles[seed as usize % profiles.len()]).to_c();
    source.lines().zip(1..).map(|(l, n)| format!("{n:4}  {l}\n")).collect()
}

/// A random run of it that passes, if one of a few does.
pub fn passing_run(program: &Program, facts: &Facts, seed: u64) -> Option<Box<Run>> {
    let pass = |nth: u64| {
        let seed = seed * ATTEMPTS + nth;
        match run(program, facts, Inputs::random(seed), &mut Random::new(seed), Which::Threads, MOST_POINTS) {
            Ended::Passed(run) => Some(run),
            Ended::Failed(..) | Ended::Unfinished(_) => None,
        }
    };
    (0..ATTEMPTS).find_map(pass)
}

pub fn without_awaits() -> Vec<Profile> {
    Profile::ALL.into_iter().filter(|profile| *profile != Profile::Awaits).collect()
}
