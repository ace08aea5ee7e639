//! Shorter schedules for the same failure.
//!
//! What a solver or a random run comes up with switches threads for no reason. Here turns are left out, cut short and moved
//! next to others of their thread, as long as the machine still fails as claimed: every step of the way has been run. Greedy,
//! so what comes out is short, not provably the shortest.

use crate::schedulers::{self, Follow, Outcome};
use crate::{Config, End, Inputs, Machine, RaceMode};
use ordain_ir::facts::Facts;
use ordain_ir::program::Program;
use ordain_model::failure::{Failure, FailureKind};
use ordain_model::names::ThreadName;
use ordain_model::witness::{Execution, Turn};

/// Attempts are runs of the machine; long schedules must not take for ever.
const MOST_ATTEMPTS: u32 = 3000;

/// An execution that fails as `claim` says with no more turns than `execution`, which has to fail so itself.
pub fn shorten(program: &Program, facts: &Facts, execution: &Execution, claim: &Failure) -> Execution {
    shorten_within(program, facts, execution, claim, None)
}

/// What a run has to be like, besides failing as claimed. Its branches are kept.
pub type Accepts<'a> = &'a dyn Fn(&Machine<'_>) -> bool;

/// The same, among the executions that are accepted.
pub fn shorten_within(
    program: &Program,
    facts: &Facts,
    execution: &Execution,
    claim: &Failure,
    accepts: Option<Accepts<'_>>,
) -> Execution {
    let mut shortener = Shortener { program, facts, claim, accepts, best: execution.clone(), attempts: 0 };
    shortener.attempt(execution.schedule.clone());
    while shortener.attempts < MOST_ATTEMPTS && (shortener.leave_out() | shortener.cut() | shortener.gather()) {}
    shortener.best
}

struct Shortener<'a> {
    program: &'a Program,
    facts: &'a Facts,
    claim: &'a Failure,
    accepts: Option<Accepts<'a>>,
    best: Execution,
    attempts: u32,
}

impl Shortener<'_> {
    /// Takes `schedule` over if it fails as claimed.
    fn attempt(&mut self, schedule: Vec<Turn>) -> bool {
        self.attempts += 1;
        let races = if self.claim.kind == FailureKind::Race { RaceMode::Full } else { RaceMode::Off };
        // Of threads that get stuck one after the other, the claim may be about the later ones.
        let stop_when_stuck = !self.claim.kind.is_stuck();
        let branches = self.accepts.is_some();
        let record = self.claim.kind == FailureKind::Atomicity;
        let config = Config { memory: self.best.memory, races, stop_when_stuck, branches, record, ..Config::default() };
        let mut machine = Machine::alone(self.program, self.facts, config);
        machine.provide_inputs(Inputs::of(&self.best));
        let mut follow = Follow::new(&schedule);
        if stop_when_stuck {
            schedulers::run(&mut machine, &mut follow, u64::MAX);
        }
        while !stop_when_stuck && !self.is_stuck(&machine) && machine.end().is_none() {
            if schedulers::run(&mut machine, &mut follow, 1) == Outcome::Stopped {
                break;
            }
        }
        let ended = matches!(machine.end(), Some(End::Failed(failure)) if failure.same_claim(self.claim));
        let races = || machine.races().iter().any(|race| race.same_claim(self.claim));
        let shows = ended || self.is_stuck(&machine) || races() || machine.shows_split(self.claim);
        let accepted = shows && follow.divergence().is_none() && self.accepts.is_none_or(|accepts| accepts(&machine));
        if accepted {
            // What was really executed: neighbouring turns of one thread are one, and what comes after the end is gone.
            self.best = machine.execution();
        }
        accepted
    }

    fn is_stuck(&self, machine: &Machine<'_>) -> bool {
        machine.stuck().iter().any(|failure| failure.same_claim(self.claim))
    }

    fn turns(&self) -> usize {
        self.best.schedule.len()
    }

    /// Turns that the failure does not need, last ones first: what they do, earlier ones may have led up to.
    fn leave_out(&mut self) -> bool {
        let before = self.turns();
        let mut i = before;
        while i > 0 && self.turns() > 1 && self.attempts < MOST_ATTEMPTS {
            i = (i - 1).min(self.turns() - 1);
            let mut schedule = self.best.schedule.clone();
            schedule.remove(i);
            self.attempt(schedule);
        }
        self.turns() < before
    }

    /// The last turn of each thread need not go as far as it does.
    fn cut(&mut self) -> bool {
        let mut any = false;
        for i in (0..self.turns()).rev() {
            while self.attempts < MOST_ATTEMPTS && self.is_last_of_its_thread(i) {
                let mut schedule = self.best.schedule.clone();
                match &mut schedule[i] {
                    Turn::Run { points, .. } if *points > 1 => *points -= 1,
                    _ => break,
                }
                if !self.attempt(schedule) {
                    break;
                }
                any = true;
            }
        }
        any
    }

    fn is_last_of_its_thread(&self, i: usize) -> bool {
        let Some(thread) = self.best.schedule.get(i).and_then(runner) else { return false };
        *thread != self.claim.thread && self.best.schedule[i + 1..].iter().all(|turn| runner(turn) != Some(thread))
    }

    /// Turns of one thread that could as well be one.
    fn gather(&mut self) -> bool {
        let before = self.turns();
        let mut i = 0;
        while i < self.turns() && self.attempts < MOST_ATTEMPTS {
            let Some(j) = self.next_of_the_same(i) else {
                i += 1;
                continue;
            };
            let mut early = self.best.schedule.clone();
            let turn = early.remove(j);
            early.insert(i + 1, turn);
            let mut late = self.best.schedule.clone();
            let turn = late.remove(i);
            late.insert(j - 1, turn);
            if !self.attempt(early) && !self.attempt(late) {
                i += 1;
            }
        }
        self.turns() < before
    }

    fn next_of_the_same(&self, i: usize) -> Option<usize> {
        let thread = runner(&self.best.schedule[i])?;
        let later = &self.best.schedule[i + 1..];
        later.iter().position(|turn| runner(turn) == Some(thread)).map(|distance| i + 1 + distance)
    }
}

/// The thread of a turn that is not only a store reaching memory.
fn runner(turn: &Turn) -> Option<&ThreadName> {
    match turn {
        Turn::Run { thread, .. } | Turn::Choose { thread, .. } => Some(thread),
        Turn::Commit { .. } => None,
    }
}
