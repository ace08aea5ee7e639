//! What candidates turn out to be: failures, in executions that go on where another one ends.

use crate::filter::{Candidate, Kind};
use ordain_explore::Bug;
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
