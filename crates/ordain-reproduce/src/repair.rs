//! Looking for the order that the times do not tell.
//!
//! A run that was led along its recording (`conduct`) may come to a point where nobody can go on, or to the end without the
//! failure: then some of what threads did between two times was in another order. Two accesses to the same memory whose times
//! overlap are *doubtful*: which came first is not known, and it matters. One of them is turned round, and the run is led again. What
//! gets further, or fails, is kept.
//!
//! The machine sees more than a process does: a run may end by something that went unnoticed when it was recorded, and that the
//! failure has come of (the use of memory that was freed, of a mutex that was destroyed). If there is no way round that, it is what is looked for.

use crate::conduct::{Access, Conductor, Precedence};
use crate::stage::Case;
use ordain_model::failure::Failure;
use ordain_model::witness::Execution;
use ordain_vm::ThreadId;
use rustc_hash::{FxHashMap, FxHashSet};

/// Runs that are led at most.
const MOST_RUNS: usize = 2000;
/// Of the accesses to one place, so many are looked at before each.
const MOST_BEFORE: usize = 64;

/// Runs that are led at most if one has failed otherwise: by what the thread does itself that was recorded to fail, or by what another does.
const MOST_RUNS_ROUND: [usize; 2] = [5, 20];

/// A run along the recording that fails.
pub struct Found {
    pub execution: Execution,
    /// How it fails, if that is not what was recorded.
    pub before: Option<Failure>,
}

/// What came of leading a run.
struct Led {
    /// If it failed as recorded.
    execution: Option<Execution>,
    /// If it failed otherwise.
    before: Option<Found>,
    progress: usize,
    /// Who could not go on.
    waiting: Vec<ThreadId>,
    accesses: Vec<Access>,
    /// Mutexes that should have been taken in another order.
    held_up: Vec<Precedence>,
}

/// Leads runs along the recording until one fails, as recorded if possible; `None` if none does. `is_over` says when to give up.
pub fn search(case: Case<'_, '_>, is_over: &dyn Fn() -> bool) -> Option<Found> {
    let mut before = None;
    let execution = search_for(case, &mut before, is_over);
    execution.map(|execution| Found { execution, before: None }).or(before)
}

/// Looks for a run that fails as recorded, and notes the first that fails otherwise.
fn search_for(case: Case<'_, '_>, before: &mut Option<Found>, is_over: &dyn Fn() -> bool) -> Option<Execution> {
    let lead = |precedences: &[Precedence]| {
        let mut conductor = Conductor::new(case, precedences);
        conductor.run();
        let stage = &conductor.stage;
        Led {
            execution: stage.ends_as_recorded().then(|| stage.machine.execution()),
            before: stage.failure_before().map(|failure| {
                let (execution, before) = (stage.machine.execution(), Some(failure.clone()));
                Found { execution, before }
            }),
            progress: stage.progress(),
            waiting: conductor.waiting(),
            held_up: conductor.held_up(),
            accesses: conductor.accesses,
        }
    };
    let mut known: Vec<Precedence> = Vec::new();
    let mut tried: FxHashSet<Precedence> = FxHashSet::default();
    let mut best = lead(&known);
    let mut runs = 1;
    *before = best.before.take();
    'further: while best.execution.is_none() {
        for doubt in doubts(&best) {
            let most = match before.as_ref().and_then(|found| found.before.as_ref()) {
                Some(failure) => MOST_RUNS_ROUND[usize::from(failure.thread != case.goal.thread)],
                None => MOST_RUNS,
            };
            if runs >= most || is_over() {
                return None;
            }
            if known.contains(&doubt) || known.contains(&turned(doubt)) || !tried.insert(doubt) {
                continue;
            }
            let mut precedences = known.clone();
            precedences.push(doubt);
            let mut led = lead(&precedences);
            runs += 1;
            *before = before.take().or(led.before.take());
            if led.execution.is_some() || led.progress > best.progress {
                (known, best) = (precedences, led);
                tried.clear();
                continue 'further;
            }
        }
        return None;
    }
    best.execution
}

fn turned(Precedence { first, second }: Precedence) -> Precedence {
    Precedence { first: second, second: first }
}

/// The pairs of accesses whose order may have been the other one, the most promising first.
fn doubts(led: &Led) -> Vec<Precedence> {
    let mut before: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    let mut doubts = Vec::new();
    for (i, second) in led.accesses.iter().enumerate() {
        let cell = before.entry(second.address / 8).or_default();
        for &j in cell.iter().rev().take(MOST_BEFORE) {
            let first = &led.accesses[j];
            if is_doubtful(first, second) {
                doubts.push((promise(led, j, i), Precedence { first: second.at, second: first.at }));
            }
        }
        cell.push(i);
    }
    doubts.sort_by_key(|&(promise, _)| std::cmp::Reverse(promise));
    led.held_up.iter().copied().chain(doubts.into_iter().map(|(_, precedence)| precedence)).collect()
}

/// Whether two accesses, of which `first` was made first, have to do with each other and may have been made in the other order.
fn is_doubtful(first: &Access, second: &Access) -> bool {
    let overlap = first.address < second.address + u64::from(second.size)
        && second.address < first.address + u64::from(first.size);
    overlap && first.at.thread != second.at.thread && (first.writes || second.writes) && second.since < first.until
}

/// How likely it is that turning these two round helps.
fn promise(led: &Led, first: usize, second: usize) -> (bool, bool, usize) {
    let (a, b) = (&led.accesses[first], &led.accesses[second]);
    // Whoever cannot go on has seen something that was not there yet, or not any more.
    let concerns = led.waiting.iter().any(|&thread| thread == a.at.thread || thread == b.at.thread);
    // A value that was read before another was written is mostly one that is about to be overwritten.
    let reads_early = a.writes && !b.writes;
    (concerns, reads_early, second)
}
