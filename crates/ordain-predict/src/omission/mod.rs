//! What goes wrong if a part of the run is left out, and the rest keeps its order: the quick way to most races, circles of mutexes and uses
//! of freed memory in a long run, however far apart their events are.
//!
//! A candidate of the filter has instances, each of a few events of different threads. All threads are to come to just before these: everything
//! that this needs (`needs`, `cut`) happens in the order of the run, what it does not need is left out (`schedule`), and if none of the events
//! themselves is needed, they can all be next. That execution is made in the machine from where the run was shortly before, or
//! further back, or at its start, where more can be left out. What the machine shows is a bug, if all threads have gone the ways of the run;
//! what it does not show is counted.
//!
//! That sections of a mutex and the writers of what is read keep their order is more than is needed for an execution, so this
//! finds nothing that takes another order of what it keeps: those are left to the solver (`long`). The idea is that of sync-preserving races and
//! deadlocks: Mathur, Pavlogiannis and Viswanathan, *Optimal Prediction of Synchronization-Preserving Races* (POPL 2021), and Tunç, Mathur,
//! Pavlogiannis and Viswanathan, *Sound Dynamic Deadlock Prediction in Linear Time* (PLDI 2023). Theirs is about all pairs of a trace of locks;
//! this asks about some instances of each candidate, and knows conditions, attempts to lock, the heap, and what is computed from what.

mod between;
mod cut;
mod needs;
mod schedule;

pub(crate) use needs::Needs;

use crate::filter::{Candidate, Kind};
use crate::findings::{after, is_settled};
use crate::run::Run;
use cut::{Budget, Cut, Reads, close};
use needs::At;
use ordain_explore::{Bug, Error, Options, Progress, Regions, Statistics, Stopped};
use ordain_ir::facts::Facts;
use ordain_ir::program::Program;
use ordain_model::failure::Failure;
use ordain_model::names::ThreadName;
use ordain_model::witness::Turn;
use ordain_unfold::Script;
use ordain_vm::schedulers::{self, Follow, Outcome};
use ordain_vm::{Config, End, Inputs, Machine, RaceMode, Status, ThreadId};
use rustc_hash::FxHashMap;
use schedule::{Cursor, Way};
use std::collections::BTreeSet;
use std::time::Instant;

/// How many points before an instance its executions may leave the run, each a pass over the run. What nothing was found of in one has another
/// chance in the next.
const DISTANCES: [u64; 4] = [1_024, 16_384, 262_144, u64::MAX];
/// What a pass may cost, in events: this much, and so many times the run.
const LEAST_COST: u64 = 2_000_000;
const COST_PER_POINT: u64 = 4;
/// Executions of a candidate that do not show it, before it is left alone for a pass.
const MOST_IN_VAIN: u32 = 2;

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Omitted {
    pub bugs: Vec<Bug>,
    /// Candidates that should have shown in an execution, and did not.
    pub unconfirmed: u32,
    /// Executions that could not be made, which is a fault of ours.
    pub diverged: u32,
    /// Passes that came to what they may cost, and windows that took too long.
    pub cut_short: u32,
    pub runs: u32,
    /// What came of asking about regions.
    pub regions: Regions,
    pub statistics: Statistics,
    pub stopped: Option<Stopped>,
}

/// An instance that is to be tried, on an execution that leaves the run at a position.
struct Job {
    leave: u64,
    candidate: usize,
    /// The events that are to be next.
    events: Vec<At>,
    /// If the first of them is the first access of a region: the second.
    second: Option<At>,
}

/// What is looked at.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a, 'p> {
    pub program: &'p Program,
    pub facts: &'p Facts,
    /// What is known of every run.
    pub empty: &'a Script,
    pub run: &'a Run,
    pub options: &'a Options,
}

pub(crate) fn find<'a>(
    known: Known<'a, 'a>,
    asked: &[usize],
    progress: &mut dyn FnMut(&Progress),
) -> Result<Omitted, Error> {
    // The other half of the time is for what is not found so.
    let deadline = known.options.time.map(|time| Instant::now() + time / 2);
    let in_vain = FxHashMap::default();
    let mut omission = Omission { known, deadline, in_vain, found: Omitted::default() };
    let mut hopeless = BTreeSet::new();
    for distance in DISTANCES {
        omission.in_vain.clear();
        omission.pass(distance, asked, progress)?;
        let sure = omission.in_vain.keys().filter(|(_, reads)| *reads == Reads::AsTheyWere);
        hopeless.extend(sure.map(|&(candidate, _)| candidate));
        if omission.found.stopped.is_some() {
            break;
        }
    }
    omission.found.unconfirmed += hopeless.iter().filter(|c| !omission.is_settled(**c)).count() as u32;
    Ok(omission.found)
}

struct Omission<'a, 'p> {
    known: Known<'a, 'p>,
    deadline: Option<Instant>,
    /// Executions that did not show what they should have, by candidate.
    in_vain: FxHashMap<(usize, Reads), u32>,
    found: Omitted,
}

impl<'p> Omission<'_, 'p> {
    fn jobs(&self, distance: u64, asked: &[usize]) -> Vec<Job> {
        let mut jobs = Vec::new();
        for &candidate in asked.iter().filter(|&&c| !self.is_settled(c)) {
            let Candidate { kind, spans, .. } = &self.known.run.candidates[candidate];
            if *kind == Kind::Wait {
                continue;
            }
            for span in spans {
                let known = span.events.iter().take_while(|&&at| at > 0);
                let events: Option<Vec<At>> = known.map(|&at| self.known.run.needs.event(at)).collect();
                let Some(mut events) = events.filter(|events| events.len() > 1) else { continue };
                let second = (*kind == Kind::Atomicity).then(|| events.pop()).flatten();
                jobs.push(Job { leave: (span.first - 1).saturating_sub(distance), candidate, events, second });
            }
        }
        jobs.sort_by_key(|job| job.leave);
        jobs
    }

    fn is_settled(&self, candidate: usize) -> bool {
        is_settled(self.known.program, &self.known.run.candidates[candidate], &self.found.bugs)
    }

    /// Goes along the run once, and leaves it for every instance that is worth it.
    fn pass(&mut self, distance: u64, asked: &[usize], progress: &mut dyn FnMut(&Progress)) -> Result<(), Error> {
        let schedule = &self.known.run.execution.schedule;
        let config = Config { stop_when_stuck: false, ..Config::default() };
        let mut machine = Machine::alone(self.known.program, self.known.facts, config);
        machine.provide_inputs(Inputs::of(&self.known.run.execution));
        let (mut follow, mut cursor, mut done) = (Follow::new(schedule), Cursor::default(), 0);
        let cost = LEAST_COST + COST_PER_POINT * self.known.run.points;
        let (mut closing, mut running) = (Budget::new(cost), Budget::new(cost));
        for job in self.jobs(distance, asked) {
            if self.is_over() {
                return Ok(());
            }
            if closing.is_used_up() || running.is_used_up() {
                self.found.cut_short += 1;
                return Ok(());
            }
            if self.is_settled(job.candidate) {
                continue;
            }
            // Where the run is then: it may be further already, because nobody can be left in an atomic section.
            let leave = job.leave.max(done);
            let known = self.known.run.needs.cut_at(leave);
            let reads = if job.second.is_some() { Reads::AsTheyWere } else { Reads::IfPossible };
            let is_in_vain = |reads| self.in_vain.get(&(job.candidate, reads)).is_some_and(|&n| n >= MOST_IN_VAIN);
            if is_in_vain(Reads::IfPossible) && (job.second.is_some() || is_in_vain(Reads::AsTheyWere)) {
                continue;
            }
            if self.cut(&known, &job.events, reads, &mut closing).is_none() {
                continue;
            }
            while done < leave || !machine.is_outside_atomic_sections() {
                let points = leave.saturating_sub(done).max(1);
                let before = done;
                schedulers::run(&mut machine, &mut follow, points);
                let now = machine.thread_ids().map(|thread| machine.points(thread)).sum();
                cursor.advance(schedule, now - done);
                done = now;
                if machine.end().is_some() || now == before {
                    return Ok(());
                }
            }
            let base: Cut = machine.thread_ids().map(|thread| machine.points(thread) as u32).collect();
            if let Some(second) = job.second {
                let left = Left { machine: &machine, follow: &follow, cursor, points: done };
                self.ask_between(&left, &base, &job, second, [&mut closing, &mut running])?;
                continue;
            }
            let cuts = [Reads::AsTheyWere, Reads::IfPossible]
                .map(|reads| Some((self.cut(&base, &job.events, reads, &mut closing)?, reads)));
            let Some((cut, reads)) = cuts.into_iter().flatten().next() else { continue };
            let in_vain = (job.candidate, reads);
            if self.in_vain.get(&in_vain).is_some_and(|&times| times >= MOST_IN_VAIN) {
                continue;
            }
            let Some(rest) = self.rest(cursor, [&base, &base, &cut]) else { continue };
            // The schedule is gone through up to there, and so is the run if something shows.
            running.take(self.last(&cut).saturating_sub(done));
            let left = Left { machine: &machine, follow: &follow, cursor, points: done };
            if !self.attempt(&left, &rest, &job, &cut, reads) {
                *self.in_vain.entry(in_vain).or_default() += 1;
            }
            progress(&Progress { runs: self.found.runs, open: 0, queries: 0, bugs: self.found.bugs.len() });
        }
        Ok(())
    }

    fn is_over(&mut self) -> bool {
        if self.known.options.interrupt.is_raised() {
            self.found.stopped = Some(Stopped::Interrupt);
            return true;
        }
        let is_late = self.deadline.is_some_and(|deadline| deadline <= Instant::now());
        self.found.cut_short += u32::from(is_late);
        is_late
    }

    /// How far each thread goes so that all of these events can be next.
    fn cut(&self, base: &[u32], events: &[At], reads: Reads, budget: &mut Budget) -> Option<Cut> {
        let before = |at: &At| At { point: at.point - 1, ..*at };
        let is_past = |at: &At| base.get(usize::from(at.thread)).is_some_and(|&points| points >= at.point);
        if events.iter().any(is_past) {
            return None;
        }
        let ends: Vec<At> = events.iter().map(before).collect();
        close(&self.known.run.needs, base, &ends, reads, budget)
    }

    /// The position of the last event of a cut.
    fn last(&self, cut: &[u32]) -> u64 {
        let ends = (0..).zip(cut).filter(|(_, point)| **point > 0).map(|(thread, &point)| At { thread, point });
        ends.map(|end| self.known.run.needs.position(end)).max().unwrap_or_default().into()
    }

    /// The schedule from one cut of the run to another, if the run is at the first of these three.
    fn rest(&self, cursor: Cursor, [at, from, to]: [&[u32]; 3]) -> Option<Vec<Turn>> {
        let of = |cut: &[u32], nth: usize| cut.get(nth).copied().unwrap_or(0);
        let way = |(nth, &to): (usize, &u32)| {
            Some((self.known.run.threads.get(nth)?, Way { at: of(at, nth), from: of(from, nth), to }))
        };
        let mut ways: FxHashMap<&ThreadName, Way> = to.iter().enumerate().map(way).collect::<Option<_>>()?;
        cursor.rest(&self.known.run.execution.schedule, &mut ways)
    }

    /// Makes the execution; says whether it shows the instance.
    fn attempt(&mut self, left: &Left<'_, 'p>, rest: &[Turn], job: &Job, cut: &[u32], reads: Reads) -> bool {
        let is_sure = reads == Reads::AsTheyWere;
        let config = Config { races: RaceMode::Last, stop_when_stuck: false, branches: true, ..*left.machine.config() };
        let mut before = left.machine.begin_here(config, None);
        self.found.runs += 1;
        let mut follow = Follow::new(rest);
        let outcome = schedulers::run(&mut before, &mut follow, u64::MAX);
        // Where all threads wait for each other the run is over.
        if follow.divergence().is_some() || !matches!(outcome, Outcome::Stopped | Outcome::Ended(End::Failed(_))) {
            self.found.diverged += u32::from(is_sure);
            return false;
        }
        let thread = |at: &At| before.thread_by_name(&self.known.run.threads[usize::from(at.thread)]);
        let Some(next): Option<Vec<ThreadId>> = job.events.iter().map(thread).collect() else { return false };
        let candidate = &self.known.run.candidates[job.candidate];
        let mut orders = vec![next.clone()];
        orders.extend((candidate.kind != Kind::Locks).then(|| next.into_iter().rev().collect()));
        for order in orders {
            let mut after = before.clone();
            for thread in order {
                if after.end().is_none() && after.status(thread) == Status::Ready {
                    after.step(thread);
                }
            }
            // What else it shows may be long over: it is found where that is asked for.
            let mut shown = shown(left, &after);
            shown.retain(|bug| is_settled(self.known.program, candidate, std::slice::from_ref(bug)));
            if !shown.is_empty() && self.is_along(left, &before, cut) {
                self.take_in(shown);
                return true;
            }
        }
        false
    }

    /// Whether the threads have gone the same ways as in the run, up to how far they have come.
    fn is_along(&self, left: &Left<'_, 'p>, machine: &Machine<'p>, cut: &[u32]) -> bool {
        let last = self.last(cut);
        let config = Config { branches: true, races: RaceMode::Off, ..*left.machine.config() };
        let mut run = left.machine.begin_here(config, None);
        let _: Outcome = schedulers::run(&mut run, &mut left.follow.clone(), last.saturating_sub(left.points));
        machine.thread_ids().all(|thread| {
            let known = run.thread_by_name(machine.name(thread)).map_or(&[][..], |known| run.branches(known));
            known.starts_with(machine.branches(thread))
        })
    }

    /// Whatever of it is new, and asked for.
    fn take_in(&mut self, shown: Vec<Bug>) {
        for bug in shown {
            let is_known = self.found.bugs.iter().any(|known| known.failure.same_places(&bug.failure));
            if self.known.options.check.contains(&bug.failure.kind) && !is_known {
                self.found.bugs.push(bug);
            }
        }
    }
}

/// Where executions leave the run.
struct Left<'a, 'p> {
    machine: &'a Machine<'p>,
    /// What the run does next.
    follow: &'a Follow<'a>,
    cursor: Cursor,
    points: u64,
}

/// Everything that goes wrong in an execution.
fn shown(left: &Left<'_, '_>, machine: &Machine<'_>) -> Vec<Bug> {
    let failed = match machine.end() {
        Some(End::Failed(failure)) => Some(failure),
        _ => None,
    };
    let failures: Vec<&Failure> = failed.into_iter().chain(machine.races()).chain(machine.stuck()).collect();
    if failures.is_empty() {
        return Vec::new();
    }
    let execution = after(&left.machine.execution(), machine.execution());
    failures.into_iter().map(|failure| Bug { failure: failure.clone(), execution: execution.clone() }).collect()
}
