//! The failure that is to be reproduced.

use ordain_model::failure::{Failure, FailureKind, Place};
use ordain_model::names::ThreadName;
use ordain_vm::End;

/// Who is to fail, and how.
#[derive(Clone, Debug)]
pub struct Goal {
    pub thread: ThreadName,
    pub kinds: Vec<FailureKind>,
    /// Where, unless that is not known: of a fault, only between which decisions it was.
    pub place: Option<Place>,
    /// Whether the thread has gone all of its way by then, as far as it is known.
    pub at_end: bool,
    /// The threads that are stuck, if that is the failure and they are known.
    pub stuck: Vec<ThreadName>,
    /// Nothing fails, but the thread ends the process with this status.
    pub status: Option<i32>,
}

impl Goal {
    /// The thread ends the process with this status, as another process sees it.
    pub fn exit(thread: ThreadName, status: i32) -> Self {
        Goal { thread, kinds: Vec::new(), place: None, at_end: true, stuck: Vec::new(), status: Some(status) }
    }

    /// Whether threads that can never go on are what is to be shown.
    pub fn is_stuck(&self) -> bool {
        self.kinds.iter().any(|kind| kind.is_stuck())
    }

    /// Whether a run that ended so is what was recorded.
    pub fn is_shown_by(&self, end: &End) -> bool {
        match end {
            End::Failed(failure) => self.is_met_by(failure),
            // Others see eight bits of it.
            End::Exit(status) => self.status.is_some_and(|wanted| (wanted ^ status) & 0xff == 0),
            End::AssumeViolated | End::Unsupported { .. } => false,
        }
    }

    /// Whether a failure of a run is what was recorded. Of threads that are stuck, nobody is the one that failed.
    pub fn is_met_by(&self, failure: &Failure) -> bool {
        let is_there = self.place.as_ref().is_none_or(|place| *place == failure.place);
        self.kinds.contains(&failure.kind)
            && match failure.kind.is_stuck() {
                true => self.stuck.is_empty() || self.stuck == stuck(failure),
                false => failure.thread == self.thread && is_there,
            }
    }

    /// Whether a failure is something that a process can go on after, and not what was recorded.
    pub fn is_preceded_by(&self, failure: &Failure) -> bool {
        failure.kind.is_undefined_behaviour() && !self.is_met_by(failure)
    }

    /// A failure along the recorded paths that natively went unnoticed at first.
    pub fn earlier(failure: &Failure) -> Goal {
        let (thread, place) = (failure.thread.clone(), Some(failure.place.clone()));
        Goal { thread, kinds: vec![failure.kind], place, at_end: false, stuck: Vec::new(), status: None }
    }
}

/// The threads that are stuck, in order; none if something else is the failure.
fn stuck(failure: &Failure) -> Vec<ThreadName> {
    let others = failure.others.iter().map(|(thread, _)| thread.clone());
    let mut threads: Vec<ThreadName> = others.chain([failure.thread.clone()]).collect();
    threads.sort();
    threads.retain(|_| failure.kind.is_stuck());
    threads
}

/// What a failure that was seen from outside is to the machine, which sees more.
pub fn goal(failure: &Failure) -> Goal {
    use FailureKind as Kind;
    let kinds = match failure.kind {
        // A process faults where its pages end; what led there is one of these.
        Kind::Null | Kind::Bounds => {
            vec![Kind::Null, Kind::Bounds, Kind::UseAfterFree, Kind::DoubleFree, Kind::Uninitialised]
        }
        // The C library aborts when its heap, or a mutex, is not what it should be.
        Kind::Abort => vec![Kind::Abort, Kind::DoubleFree, Kind::UseAfterFree, Kind::LockMisuse, Kind::Bounds],
        Kind::Hang => vec![Kind::Deadlock, Kind::Hang],
        kind => vec![kind],
    };
    let is_exact = matches!(failure.kind, Kind::Assertion | Kind::LockMisuse);
    Goal {
        thread: failure.thread.clone(),
        kinds,
        place: is_exact.then(|| failure.place.clone()),
        at_end: true,
        stuck: stuck(failure),
        status: None,
    }
}
