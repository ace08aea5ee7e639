//! What leaving out parts of random runs shows, against brute force: nothing that no order of the run's events has, and most of the races, and
//! every execution that should be possible can be made.
//!
//! `ORDAIN_FUZZ_CASES` says how many runs, `ORDAIN_FUZZ_SEED` where to begin.

#[expect(dead_code, reason = "regions are judged elsewhere")]
mod support;

use ordain_explore::Options;
use ordain_ir::facts::Facts;
use ordain_judge::cases::number;
use ordain_judge::generator::Profile;
use ordain_model::failure::FailureKind;
use ordain_predict::by_omission;
use support::{Findings, Regions, SAMPLE, numbered, passing_run, program, without_awaits};

/// What brute force knows of. Of violations of atomicity it knows those of all that a thread does.
const CHECKED: [FailureKind; 5] =
    [FailureKind::Race, FailureKind::Deadlock, FailureKind::Hang, FailureKind::UseAfterFree, FailureKind::DoubleFree];

#[derive(Debug, Default)]
struct Judged {
    runs: u64,
    too_large: u64,
    /// Races, and those that were found.
    races: usize,
    found: usize,
    stuck: usize,
    misuse: usize,
}

impl Judged {
    /// What comes of one random program; nothing if no run of it passes.
    fn judge(&mut self, seed: u64, profiles: &[Profile]) {
        let program = program(seed, profiles);
        let facts = Facts::new(&program);
        let Some(run) = passing_run(&program, &facts, seed) else { return };
        let Some(all) = Findings::brute_force(&program, &facts, &run, Regions::LeftOut) else {
            self.too_large += 1;
            return;
        };
        let options = Options { check: CHECKED.to_vec(), ..Options::default() };
        let omitted = by_omission(&program, &facts, &run, &options).expect("nothing diverges");
        let found = Findings::of(&omitted.bugs);
        let is_there = found.races.is_subset(&all.races)
            && found.misuse.is_subset(&all.misuse)
            && found.stuck.is_subset(&all.stuck);
        assert!(
            is_there && omitted.diverged == 0,
            "seed {seed}, omitted:\n{}found:       {found:?}\nbrute force: {all:?}\n{} executions could not be made",
            numbered(seed, profiles),
            omitted.diverged
        );
        self.runs += 1;
        self.races += all.races.len();
        self.found += found.races.len();
        self.stuck += found.stuck.len();
        self.misuse += found.misuse.len();
    }
}

fn judge_all(profiles: &[Profile]) -> Judged {
    let (first, cases) = (number("ORDAIN_FUZZ_SEED", 1), number("ORDAIN_FUZZ_CASES", SAMPLE));
    let (mut seed, mut judged) = (first, Judged::default());
    while judged.runs + judged.too_large < cases {
        judged.judge(seed, profiles);
        seed += 1;
    }
    println!("seeds {first} to {seed}: {judged:?}");
    assert!(judged.runs * 2 > cases, "too few of {cases} runs were decided");
    judged
}

#[test]
fn own_synchronisation() {
    let Judged { races, found, .. } = judge_all(&without_awaits());
    assert!(found * 3 > races * 2, "only {found} of {races} races were found");
}

#[test]
fn mutexes_and_the_heap() {
    judge_all(&[Profile::Locks, Profile::Heap]);
}

#[test]
fn waiting_and_the_library() {
    judge_all(&[Profile::Awaits, Profile::Conditions, Profile::Primitives]);
}
