//! What candidates turn out to be: failures, in executions that go on where another one ends.

use crate::filter::{Candidate, Kind};
use ordain_explore::{Bug, Focus, Line};
use ordain_ir::program::{Location, Program};
use ordain_model::failure::{Failure, FailureKind, Place};
use ordain_model::witness::Execution;

/// Whether something was found at the places of a candidate.
pub(crate) fn is_settled(program: &Program, candidate: &Candidate, bugs: &[Bug]) -> bool {
    let place = |at: &Location| Place { file: program.files[at.file as usize].clone(), line: at.line };
    let places: Vec<Place> = candidate.places.iter().map(place).collect();
    let mut sorted: Vec<&Place> = places.iter().collect();
    sorted.sort();
    let is_there = |failure: &Failure| match candidate.kind {
        Kind::Wait | Kind::Locks => {
            failure.kind.is_stuck() && failure.places().iter().any(|place| sorted.contains(place))
        }
        Kind::Lifetime => kinds(candidate.kind).contains(&failure.kind) && places.contains(&failure.place),
        Kind::Race | Kind::Atomicity => kinds(candidate.kind).contains(&failure.kind) && failure.places() == sorted,
    };
    bugs.iter().any(|bug| is_there(&bug.failure))
}

/// What a candidate may turn out to be.
pub(crate) fn kinds(kind: Kind) -> &'static [FailureKind] {
    match kind {
        Kind::Race => &[FailureKind::Race],
        Kind::Lifetime => &[FailureKind::UseAfterFree, FailureKind::DoubleFree],
        Kind::Locks | Kind::Wait => &[FailureKind::Deadlock, FailureKind::Hang],
        Kind::Atomicity => &[FailureKind::Atomicity],
    }
}

/// An execution that goes on where another one ends.
pub(crate) fn after(before: &Execution, then: Execution) -> Execution {
    let schedule = before.schedule.iter().cloned().chain(then.schedule).collect();
    Execution { schedule, ..then }
}

/// What a window is asked about that is laid for these candidates.
pub(crate) fn focus(candidates: &[&Candidate]) -> Focus {
    let mut focus = Focus::default();
    for Candidate { kind, places, .. } in candidates {
        let lines: Vec<Line> = places.iter().map(|at| (at.file, at.line)).collect();
        match (kind, &lines[..]) {
            (Kind::Race, &[a, b]) => _ = focus.races.insert([a.min(b), a.max(b)]),
            (Kind::Race, &[a]) => _ = focus.races.insert([a, a]),
            (Kind::Atomicity, &[first, between, second]) => _ = focus.splits.insert([first, between, second]),
            (Kind::Lifetime, _) => focus.uses.extend(lines),
            (Kind::Locks | Kind::Wait, _) => focus.waits.extend(lines),
            (Kind::Race | Kind::Atomicity, _) => unreachable!("races are of two places, violations of three"),
        }
    }
    focus
}
