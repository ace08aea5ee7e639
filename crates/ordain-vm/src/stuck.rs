//! Deadlocks and hangs: threads that can never go on.
//!
//! The stuck threads are the greatest set of waiting threads whose release is in the hands of that set alone. They are
//! looked for after every step that can have made somebody stuck.

use crate::machine::Machine;
use crate::pending::{Blocker, Status};
use crate::thread::ThreadId;
use ordain_model::failure::{Failure, FailureKind};

/// The failure of the threads that are stuck, if there are any.
pub(crate) fn find(machine: &Machine<'_>) -> Option<Failure> {
    let all: Vec<(ThreadId, Status)> = machine.thread_ids().map(|t| (t, machine.status(t))).collect();
    let waits = |&(t, status): &(ThreadId, Status)| match status {
        Status::Blocked(_) => true,
        // Time passes for those who have nothing else to wait for.
        Status::Awaiting => !machine.is_timed(t),
        Status::Ready | Status::Ended => false,
    };
    let mut stuck: Vec<bool> = all.iter().map(waits).collect();
    let ended = |t: ThreadId| all[t.index()].1 == Status::Ended;
    let drained = machine.buffers_empty();
    loop {
        let nobody_else = all.iter().all(|&(t, _)| stuck[t.index()] || ended(t));
        let freed = all.iter().position(|&(t, status)| {
            let for_ever = match status {
                // An ended thread that still owns a mutex will not unlock it.
                Status::Blocked(Blocker::Mutex { owner: other, .. }) => stuck[other.index()] || ended(other),
                Status::Blocked(Blocker::Join(other) | Blocker::Atomic(other)) => stuck[other.index()],
                Status::Blocked(Blocker::Condition { .. }) => nobody_else,
                Status::Awaiting => nobody_else && drained,
                Status::Ready | Status::Ended => false,
            };
            stuck[t.index()] && !for_ever
        });
        match freed {
            Some(t) => stuck[t] = false,
            None => break,
        }
    }
    describe(machine, all.into_iter().filter(|(t, _)| stuck[t.index()]).collect())
}

fn describe(machine: &Machine<'_>, mut stuck: Vec<(ThreadId, Status)>) -> Option<Failure> {
    stuck.sort_by(|a, b| machine.name(a.0).cmp(machine.name(b.0)));
    let spins = |&(t, status): &(ThreadId, Status)| status == Status::Awaiting && machine.library_call(t).is_none();
    let hangs = stuck.iter().any(spins);
    let words: Vec<String> = stuck.iter().map(|(t, status)| wait_in_words(machine, *t, status)).collect();
    let mut places = stuck.iter().map(|(t, _)| (machine.name(*t).clone(), machine.place(*t)));
    let (thread, place) = places.next()?;
    let first = stuck.first()?.0;
    Some(Failure {
        kind: if hangs { FailureKind::Hang } else { FailureKind::Deadlock },
        thread,
        place,
        others: places.collect(),
        message: words.join("; "),
        stack: machine.user_stack(first),
    })
}

fn wait_in_words(machine: &Machine<'_>, thread: ThreadId, status: &Status) -> String {
    let name = machine.name(thread);
    match status {
        Status::Blocked(Blocker::Mutex { address, owner }) if *owner == thread => {
            format!("thread {name} locks mutex {}, which it already holds", machine.describe(*address))
        }
        Status::Blocked(Blocker::Mutex { address, owner }) => {
            let (mutex, owner_name) = (machine.describe(*address), machine.name(*owner));
            let ended = if machine.status(*owner) == Status::Ended { ", which has ended" } else { "" };
            format!("thread {name} waits for mutex {mutex}, held by thread {owner_name}{ended}")
        }
        Status::Blocked(Blocker::Join(other)) => {
            format!("thread {name} waits for the end of thread {}", machine.name(*other))
        }
        Status::Blocked(Blocker::Atomic(other)) => {
            format!("thread {name} waits for the atomic section of thread {}", machine.name(*other))
        }
        Status::Blocked(Blocker::Condition { address }) => {
            format!("thread {name} waits for condition {}, which nobody signals", machine.describe(*address))
        }
        _ => match machine.library_call(thread) {
            Some(function) => format!("thread {name} waits in {function}"),
            None => format!("thread {name} waits in a loop for a change of memory"),
        },
    }
}
