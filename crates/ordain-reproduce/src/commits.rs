//! Stores that wait in buffers, and reach memory just before somebody looks there.
//!
//! When a store reaches memory nobody notices until somebody reads it, or another store to the same place does. So of all the moments
//! at which it could, only those are tried: before a thread reads the place, before it looks there to see whether it has to
//! wait, and before its own stores to the place are made to reach memory.

use crate::stage::Stage;
use ordain_vm::{Machine, PendingKind, ThreadId, would_look_at};

/// A place in memory: where, and how many bytes.
type Place = (u64, u8);

/// What the next step of a thread looks at.
pub fn before_step(machine: &Machine<'_>, thread: ThreadId) -> Vec<Place> {
    match machine.pending(thread).map(|pending| pending.kind) {
        Some(PendingKind::Load { address, size, .. }) => vec![(address, size)],
        Some(PendingKind::Store { .. }) | None => Vec::new(),
        Some(PendingKind::Rmw { address, size, .. } | PendingKind::CmpXchg { address, size, .. }) => {
            let mut places = machine.buffered_places(thread);
            places.push((address, size));
            places
        }
        // Most of the others have all of the thread's stores reach memory.
        Some(_) => machine.buffered_places(thread),
    }
}

/// What a thread that stands at the head of a loop looks at to see whether it has to wait.
pub fn before_round(machine: &Machine<'_>, thread: ThreadId) -> Vec<Place> {
    let is_of_interest = machine.is_at_loop(thread) && !machine.commits().is_empty();
    if is_of_interest { would_look_at(machine.clone(), thread) } else { Vec::new() }
}

/// Each way in which stores to one of these places can reach memory now.
pub fn each_way<'p, 'r>(stage: &Stage<'p, 'r>, places: &[Place]) -> Vec<Stage<'p, 'r>> {
    let mut ways = Vec::new();
    for thread in stage.machine.thread_ids() {
        let buffered = stage.machine.buffered_places(thread);
        for (nth, &store) in buffered.iter().enumerate() {
            if places.iter().any(|&place| overlap(store, place)) {
                ways.extend(committed(stage.clone(), thread, nth));
            }
        }
    }
    ways
}

fn overlap((a, a_size): Place, (b, b_size): Place) -> bool {
    a < b + u64::from(b_size) && b < a + u64::from(a_size)
}

/// Lets the `nth` store of a thread reach memory, and before it those that have to.
fn committed<'p, 'r>(mut stage: Stage<'p, 'r>, thread: ThreadId, nth: usize) -> Option<Stage<'p, 'r>> {
    let mut nth = nth as u32;
    loop {
        let commits = stage.machine.commits();
        if commits.contains(&(thread, nth)) {
            stage.machine.commit(thread, nth);
            return Some(stage);
        }
        let earlier = commits.iter().find(|&&(owner, n)| owner == thread && n < nth)?.1;
        stage.machine.commit(thread, earlier);
        nth -= 1;
    }
}
