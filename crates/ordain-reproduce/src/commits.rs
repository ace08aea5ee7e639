//! Stores that wait in buffers, and reach memory just before somebody looks there.
//!
//! When a store reaches memory nobody notices until somebody reads it, or another store to the same place reaches memory. So every
//! run is like one in which stores reach memory as late as can be: just before a step that sees the difference, or
//! before others go on because a thread has to wait, or has not any more. Those before one step come in a chain: each goes to a place that is
//! looked at, has to come before one that does, or is overwritten by one of these. What is seen differs from what would have been seen
//! earlier in the chain; else the rest of it could wait until after the step.

use crate::stage::Stage;
use ordain_ir::program::Ordering;
use ordain_vm::{Machine, PendingKind, ThreadId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::Hash;

/// A place in memory: where, and how many bytes.
pub type Place = (u64, u8);

/// Ways in which stores can reach memory before one step, at most.
const MOST_WAYS: usize = 2_000;

/// What the next step of a thread sees of memory.
pub enum Looks {
    /// Nothing that others write.
    Nowhere,
    /// It reads this.
    At(Place),
    /// Stores to these places reach memory with it, or it reads them.
    Stirs(Vec<Place>),
}

/// What the next step of a thread looks at.
pub fn looks(machine: &Machine<'_>, thread: ThreadId) -> Looks {
    use PendingKind as Kind;
    let Some(pending) = machine.pending(thread) else { return Looks::Nowhere };
    let with_own = |places: Vec<Place>| Looks::Stirs([machine.buffered_places(thread), places].concat());
    match pending.kind {
        Kind::Load { address, size, .. } => Looks::At((address, size)),
        Kind::Store { address, size, order: Some(Ordering::SeqCst), .. }
        | Kind::Rmw { address, size, .. }
        | Kind::CmpXchg { address, size, .. } => with_own(vec![(address, size)]),
        Kind::Store { .. }
        | Kind::Malloc { .. }
        | Kind::Divide { .. }
        | Kind::Choose { .. }
        | Kind::Decided
        | Kind::ThreadExit
        | Kind::Fail(_)
        | Kind::Exit { .. }
        | Kind::AssumeViolated => Looks::Nowhere,
        Kind::Fence(order) if order != Ordering::SeqCst => Looks::Nowhere,
        // The stores of a thread have reached memory when it is joined.
        Kind::Join { target: Some(target), .. } => with_own(machine.buffered_places(target)),
        Kind::Fence(_)
        | Kind::Lock { .. }
        | Kind::TryLock { .. }
        | Kind::Unlock { .. }
        | Kind::Sleep { .. }
        | Kind::Condition
        | Kind::Create { .. }
        | Kind::AtomicBegin
        | Kind::AtomicEnd
        | Kind::AtomicInside => with_own(Vec::new()),
        // It may read anything.
        _ => Looks::Stirs(machine.thread_ids().flat_map(|t| machine.buffered_places(t)).collect()),
    }
}

/// Each way in which stores can reach memory before a step that looks at these places, unless it sees the same without: what it sees
/// is said by `seen`. The run as it is does not count. `None` if there are too many.
pub fn ways<'p, 'r, V: Hash + Eq + Clone>(
    stage: &Stage<'p, 'r>,
    places: &[Place],
    seen: impl Fn(&Stage<'p, 'r>) -> V,
) -> Option<Vec<Stage<'p, 'r>>> {
    let mut ways = Vec::new();
    let mut gone_through = 0;
    let mut latest: Vec<(Stage<'p, 'r>, FxHashSet<V>)> = vec![(stage.clone(), FxHashSet::from_iter([seen(stage)]))];
    while !latest.is_empty() {
        // What comes of one store more, with all that could have been seen on some way there.
        let mut next: FxHashMap<[u8; 32], (Stage<'p, 'r>, FxHashSet<V>)> = FxHashMap::default();
        for (stage, before) in &latest {
            for further in one_further(stage, places) {
                let (_, all) = next.entry(further.digest()).or_insert_with(|| (further, FxHashSet::default()));
                all.extend(before.iter().cloned());
            }
        }
        latest = next.into_values().collect();
        gone_through += latest.len();
        if gone_through > MOST_WAYS {
            return None;
        }
        for (stage, before) in &mut latest {
            if before.insert(seen(stage)) {
                ways.push(stage.clone());
            }
        }
    }
    Some(ways)
}

/// The runs in which one more store has reached memory that goes to one of these places, or that one of these may have to come after.
fn one_further<'p, 'r>(stage: &Stage<'p, 'r>, places: &[Place]) -> Vec<Stage<'p, 'r>> {
    let machine = &stage.machine;
    let buffered: Vec<(ThreadId, u32, Place)> = machine
        .thread_ids()
        .flat_map(|t| (0..).zip(machine.buffered_places(t)).map(move |(nth, place)| (t, nth, place)))
        .collect();
    let mut places = places.to_vec();
    let mut concerned: Vec<(ThreadId, u32)> = Vec::new();
    loop {
        let open = buffered.iter().filter(|&&(t, nth, _)| !concerned.contains(&(t, nth)));
        let Some(&(thread, nth, _)) = open.clone().find(|&&(_, _, store)| any_overlaps(&places, store)) else { break };
        concerned.push((thread, nth));
        // Stores of others to where it has to store before: which of them are overwritten then makes a difference.
        for earlier in machine.commits_before(thread, nth) {
            let place = buffered.iter().find(|&&(t, n, _)| (t, n) == (thread, earlier)).map(|&(_, _, place)| place);
            places.extend(
                place.filter(|&place| {
                    buffered.iter().any(|&(other, _, store)| other != thread && overlap(store, place))
                }),
            );
        }
    }
    concerned.into_iter().filter_map(|(thread, nth)| committed(stage.clone(), thread, nth)).collect()
}

fn any_overlaps(places: &[Place], store: Place) -> bool {
    places.iter().any(|&place| overlap(place, store))
}

fn overlap((a, a_size): Place, (b, b_size): Place) -> bool {
    a < b + u64::from(b_size) && b < a + u64::from(a_size)
}

/// Lets the `nth` store of a thread reach memory, and before it those that have to. `None` if it may not.
fn committed<'p, 'r>(mut stage: Stage<'p, 'r>, thread: ThreadId, nth: u32) -> Option<Stage<'p, 'r>> {
    let mut all = stage.machine.commits_before(thread, nth);
    all.push(nth);
    for (gone, nth) in (0..).zip(all) {
        let store = (thread, nth - gone);
        if stage.machine.end().is_some() || !stage.machine.commits().contains(&store) {
            return None;
        }
        stage.machine.commit(store.0, store.1);
    }
    Some(stage)
}
