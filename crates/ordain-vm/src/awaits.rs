//! Awaits: loops that only wait for other threads.
//!
//! A thread that comes back to a loop header with the same live registers, and that changed nothing and synchronised
//! with nobody on the way, will do the same again until another thread changes memory. That makes it a waiting thread:
//! not worth a turn while memory stays as it is, and part of a hang if nobody is left to change it.

use crate::fingerprint::word;
use crate::memory::Undefined;
use crate::thread::Thread;
use ordain_ir::facts::FunctionFacts;
use ordain_ir::program::BlockId;
use std::ops::Range;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Arrival {
    /// How many frames the thread had.
    depth: usize,
    header: BlockId,
    /// Where in `Arrivals::live` the values of the registers are that are live there.
    live: Range<usize>,
    /// Changes of memory by other threads so far.
    changes: u64,
    /// Points that the thread had executed.
    points: u64,
    /// How many branches the thread had taken, while those are still the first ones it took.
    branches: Option<usize>,
}

/// A thread's last arrivals at the loop headers it has been to since it last changed something.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Arrivals {
    /// Ordered by depth: what was deeper has returned when the thread arrives further up.
    latest: Vec<Arrival>,
    live: Vec<(u64, Undefined)>,
    /// Set while the thread is in a failing await: the changes by others it has seen.
    awaiting: Option<u64>,
    /// Whether the thread saw that time is not up: then it does not wait for ever.
    timed: bool,
}

impl Arrivals {
    /// The thread did something that outlives an iteration.
    #[inline]
    pub fn forget(&mut self) {
        self.latest.clear();
        self.live.clear();
        self.awaiting = None;
        self.timed = false;
    }

    /// Whether the thread, which has executed so many points, has just come to a loop header.
    pub fn is_at_header(&self, points: u64) -> bool {
        self.latest.iter().any(|arrival| arrival.points == points)
    }

    /// The thread saw that time is not up yet.
    pub fn look_at_the_clock(&mut self) {
        self.timed = true;
    }

    pub fn is_timed(&self) -> bool {
        self.timed
    }

    /// The thread returned: frames from `depth` on are gone.
    #[inline]
    pub fn leave(&mut self, depth: usize) {
        while let Some(arrival) = self.latest.pop_if(|a| a.depth >= depth) {
            self.live.truncate(arrival.live.start);
        }
    }

    /// Whether iterating again leads nowhere, given the changes of memory by others so far.
    pub fn is_awaiting(&self, changes: u64) -> bool {
        self.awaiting == Some(changes)
    }

    /// Bytes that tell apart what differs for the future of the thread.
    pub fn encode(&self, changes: u64, out: &mut Vec<u8>) {
        out.push((self.timed as u8) << 1 | self.is_awaiting(changes) as u8);
        // Arrivals before the last change cannot complete an await; they only matter as present or not.
        for arrival in self.latest.iter().filter(|a| a.changes == changes) {
            out.extend((arrival.depth as u32).to_le_bytes());
            out.extend(arrival.header.0.to_le_bytes());
            for (value, undefined) in &self.live[arrival.live.clone()] {
                out.extend(value.to_le_bytes());
                out.push(*undefined);
            }
        }
        out.push(0xff);
    }

    /// Bytes that tell apart what differs for the branches that the thread will be said to have taken.
    pub fn encode_branches(&self, out: &mut Vec<u8>) {
        for arrival in &self.latest {
            word(out, (arrival.depth as u64) << 32 | arrival.header.0 as u64);
            word(out, arrival.branches.map_or(u64::MAX, |taken| taken as u64));
            for (value, undefined) in &self.live[arrival.live.clone()] {
                word(out, *value);
                out.push(*undefined);
            }
        }
    }

    /// Only the first `taken` branches are left.
    fn forget_branches_after(&mut self, taken: usize) {
        for arrival in &mut self.latest {
            arrival.branches = arrival.branches.filter(|&branches| branches <= taken);
        }
    }
}

/// `thread` arrives at a loop header. `changes` counts the changes of memory by other threads. Returns whether the
/// thread will come here for ever, without any point on the way.
pub(crate) fn arrive(thread: &mut Thread, facts: &FunctionFacts, header: BlockId, changes: u64) -> bool {
    let depth = thread.frames.len();
    let points = thread.points;
    let base = thread.top().base as usize;
    let Thread { arrivals, registers, undefined, branches, .. } = thread;
    let live = facts.live_in(header).iter().map(|r| (registers[base + r.index()], undefined[base + r.index()]));
    let deepest = arrivals.latest.iter_mut().rev().take_while(|a| a.depth == depth);
    let Some(previous) = deepest.into_iter().find(|a| a.header == header) else {
        let start = arrivals.live.len();
        arrivals.live.extend(live);
        let live = start..arrivals.live.len();
        arrivals.latest.push(Arrival { depth, header, live, changes, points, branches: Some(branches.len()) });
        return false;
    };
    let kept = &mut arrivals.live[previous.live.clone()];
    let mut same = true;
    for (kept, now) in kept.iter_mut().zip(live) {
        same &= *kept == now;
        *kept = now;
    }
    if same && previous.changes == changes {
        // Stays so at the headers of inner loops: the thread goes round in circles until memory changes.
        arrivals.awaiting = Some(changes);
    }
    match previous.branches {
        // A failing iteration of an await is not part of the thread's path.
        Some(taken) if same => branches.truncate(taken),
        _ => previous.branches = Some(branches.len()),
    }
    let endless = same && previous.points == points;
    previous.changes = changes;
    previous.points = points;
    if same {
        arrivals.forget_branches_after(branches.len());
    }
    endless
}
