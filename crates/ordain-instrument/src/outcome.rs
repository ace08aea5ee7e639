//! What a native run showed, against what was claimed.

use crate::Error;
use crate::table::SiteTable;
use ordain_model::failure::{Failure, FailureKind, Place};
use ordain_model::names::ThreadName;
use ordain_model::witness::Claim;
use std::fmt::Write;

/// The answer of a native replay.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NativeOutcome {
    /// The program failed as claimed (same kind, threads and places), or went through the whole schedule and ended as
    /// claimed.
    Reproduced,
    /// The program followed the schedule as far as it could, and something else happened.
    NotReproduced { instead: String },
    /// A native run cannot show a failure of this kind.
    CannotShow { why: String },
}

/// The runtime's line (see `ordain-rt`'s module `report`), understood.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Ending {
    Failure {
        kind: FailureKind,
        at: Stop,
        /// Whether the place is the failing one. A fault that no check foresaw happened somewhere after it.
        exact: bool,
    },
    Exit {
        status: u32,
        thread: ThreadName,
        /// Before the schedule was over.
        early: bool,
    },
    Stuck {
        kind: FailureKind,
        threads: Vec<Stop>,
    },
    /// The schedule is over, and nothing failed.
    Over {
        threads: Vec<Stop>,
    },
    Diverged {
        turn: u32,
        why: String,
        at: Stop,
    },
    BrokenAssumption {
        thread: ThreadName,
    },
    /// The runtime could not go on.
    GaveUp {
        why: String,
    },
}

/// A thread, and the place of its point; none before the first one and after the end of main.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Stop {
    pub thread: ThreadName,
    pub place: Option<Place>,
}

pub(crate) fn parse(line: &str, sites: &SiteTable) -> Result<Ending, Error> {
    if let Some(text) = line.strip_prefix("error ") {
        return Ok(Ending::GaveUp { why: text.trim().to_owned() });
    }
    parse_words(&line.split_whitespace().collect::<Vec<_>>(), sites)
        .ok_or_else(|| Error::Garbled(line.trim().to_owned()))
}

fn parse_words(words: &[&str], sites: &SiteTable) -> Option<Ending> {
    let thread = |text: &str| ThreadName::try_from(text.to_owned()).ok();
    let stop =
        |t: &str, p: &str| Some(Stop { thread: thread(t)?, place: p.parse().ok().and_then(|id| sites.place(id)) });
    let stops =
        |all: &[&str]| all.iter().map(|w| w.split_once(':').and_then(|(t, p)| stop(t, p))).collect::<Option<Vec<_>>>();
    Some(match *words {
        [word @ ("failure" | "fault"), kind, t, p] => {
            Ending::Failure { kind: failure_kind(kind)?, at: stop(t, p)?, exact: word == "failure" }
        }
        [word @ ("exit" | "early"), status, t] => {
            Ending::Exit { status: status.parse().ok()?, thread: thread(t)?, early: word == "early" }
        }
        ["deadlock", ref all @ ..] => Ending::Stuck { kind: FailureKind::Deadlock, threads: stops(all)? },
        ["hang", ref all @ ..] => Ending::Stuck { kind: FailureKind::Hang, threads: stops(all)? },
        ["end", ref all @ ..] => Ending::Over { threads: stops(all)? },
        ["diverged", turn, why, t, p] => {
            Ending::Diverged { turn: turn.parse().ok()?, why: why.to_owned(), at: stop(t, p)? }
        }
        ["assume", t] => Ending::BrokenAssumption { thread: thread(t)? },
        _ => return None,
    })
}

/// The kinds that the runtime reports.
fn failure_kind(name: &str) -> Option<FailureKind> {
    use FailureKind::*;
    [Assertion, Abort, Null, Bounds, UseAfterFree, DoubleFree, Division, LockMisuse]
        .into_iter()
        .find(|k| k.to_string() == name)
}

impl Ending {
    /// Whether this is what was claimed.
    pub(crate) fn shows(&self, claim: &Claim) -> bool {
        match (claim, self) {
            (Claim::Failure(failure), _) => self.shows_failure(failure),
            // A process's status has eight bits.
            (Claim::Exit { status: claimed }, Ending::Exit { status, early, .. }) => {
                !early && *status == *claimed as u32 & 0xff
            }
            (Claim::Exit { .. }, _) => false,
        }
    }

    /// Whether this is the failure that was claimed. Of a hang only the threads count: where in its loop a thread is does not matter.
    /// Who waits inside a library function for ever is in a deadlock, and loops.
    fn shows_failure(&self, claim: &Failure) -> bool {
        match self {
            Ending::Failure { kind, at, exact } => {
                *kind == claim.kind && at.thread == claim.thread && (!exact || at.place.as_ref() == Some(&claim.place))
            }
            Ending::Stuck { kind, threads } => {
                let with_places = *kind == FailureKind::Deadlock;
                let mut seen: Vec<_> =
                    threads.iter().map(|s| (&s.thread, s.place.as_ref().filter(|_| with_places))).collect();
                let mut claimed: Vec<_> =
                    claim.others.iter().map(|(t, p)| (t, Some(p).filter(|_| with_places))).collect();
                claimed.push((&claim.thread, Some(&claim.place).filter(|_| with_places)));
                seen.sort();
                claimed.sort();
                claim.kind.is_stuck() && (*kind == claim.kind || *kind == FailureKind::Hang) && seen == claimed
            }
            _ => false,
        }
    }

    /// In words.
    pub(crate) fn describe(&self) -> String {
        match self {
            Ending::Failure { kind, at, .. } => format!("failure of kind {kind} in {at}"),
            Ending::Exit { status, thread, early } => {
                let early = if *early { ", before the schedule was over" } else { "" };
                format!("thread {thread} ended the process with status {status}{early}")
            }
            Ending::Stuck { kind, threads } => format!("{kind} of {}", list(threads)),
            Ending::Over { threads } => format!("the schedule is over and nothing failed; {}", list(threads)),
            Ending::Diverged { turn, why, at } => {
                let why = match why.as_str() {
                    "ended" => "has ended",
                    "absent" => "does not exist",
                    "unbuffered" => "has no such store that could reach memory now",
                    _ => "cannot proceed",
                };
                format!("diverged at turn {turn}: it is the turn of {at}, which {why}")
            }
            Ending::GaveUp { why } => why.clone(),
            Ending::BrokenAssumption { thread } => format!("an assumption of thread {thread} does not hold"),
        }
    }
}

fn list(stops: &[Stop]) -> String {
    let mut text = String::new();
    for (i, stop) in stops.iter().enumerate() {
        let _ = write!(text, "{}{stop}", if i == 0 { "" } else { ", " });
    }
    text
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.place {
            Some(place) => write!(f, "thread {} at {place}", self.thread),
            None => write!(f, "thread {}", self.thread),
        }
    }
}
