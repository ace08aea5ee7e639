//! The state of a machine as bytes, so that a search can tell whether it has been here before.
//!
//! Two machines of the same program, configuration and inputs with equal fingerprints have the same futures: the same
//! steps are possible, with the same ends. What is past is left out: schedule, log, output, and races that were found
//! (but not the accesses that later ones may race with). Branches are part of it if the machine keeps them.

use crate::buffer::BufferedStore;
use crate::machine::Machine;
use crate::memory::ObjectKind;
use crate::thread::{Poise, Thread};

impl Machine<'_> {
    pub fn fingerprint(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(512);
        self.encode_memory(&mut out);
        for (address, owner) in &self.world.mutexes {
            word(&mut out, *address);
            word(&mut out, owner.0 as u64);
        }
        word(&mut out, u64::MAX);
        for (condition, waiting) in &self.world.conditions {
            word(&mut out, *condition);
            // Their order means nothing: any of them may be woken.
            let mut waiting = waiting.clone();
            waiting.sort_unstable();
            waiting.iter().for_each(|t| word(&mut out, t.0 as u64));
            word(&mut out, u64::MAX);
        }
        let (holder, depth) = self.world.atomic.map_or((u32::MAX, 0), |(t, depth)| (t.0, depth));
        word(&mut out, (holder as u64) << 32 | depth as u64);
        word(&mut out, self.world.system.history());
        for thread in &self.threads {
            self.encode_thread(thread, &mut out);
        }
        self.world.races.encode(&mut out);
        out
    }

    fn encode_memory(&self, out: &mut Vec<u8>) {
        let entries = self.world.memory.in_order();
        for entry in entries.into_iter().filter(|e| e.object.kind != ObjectKind::Constant) {
            word(out, entry.base);
            word(out, entry.end());
            out.extend(entry.object.bytes());
            entry.object.encode_undefined(out);
        }
        word(out, u64::MAX);
    }

    fn encode_thread(&self, thread: &Thread, out: &mut Vec<u8>) {
        out.extend(thread.name.to_string().bytes());
        out.push(b' ');
        let poise = match &thread.poise {
            Poise::Point => 0,
            Poise::Trap(_) => 1,
            Poise::Ended { .. } => 2,
        };
        out.extend([poise, thread.joined as u8, thread.detached as u8]);
        if let Some(waiting) = thread.waiting {
            word(out, waiting.condition);
        }
        out.push(thread.waiting.map_or(2, |w| w.woken as u8));
        if let Poise::Ended { value, undefined } = thread.poise {
            word(out, value);
            out.push(undefined);
        }
        word(out, (thread.children as u64) << 32 | thread.inputs as u64);
        word(out, thread.answers as u64);
        word(out, thread.frames.len() as u64);
        for frame in &thread.frames {
            word(out, (frame.function.0 as u64) << 32 | frame.pc.0 as u64);
        }
        for (value, undefined) in thread.registers.iter().zip(&thread.undefined) {
            word(out, *value);
            out.push(*undefined);
        }
        for jump in &thread.jumps {
            word(out, jump.token);
            word(out, (jump.frames as u64) << 32 | jump.pc.0 as u64);
        }
        encode_allocations(thread, out);
        word(out, thread.buffer.stores().len() as u64);
        thread.buffer.stores().iter().for_each(|store| encode_store(store, out));
        thread.arrivals.encode(self.world.changes_by_others(thread), out);
        if self.world.config.branches {
            encode_branches(thread, out);
        }
        if !self.world.races.off() {
            for clock in [&thread.clock, &thread.release_fence, &thread.unacquired] {
                clock.encode(out);
            }
        }
    }
}

fn encode_branches(thread: &Thread, out: &mut Vec<u8>) {
    word(out, thread.branches.len() as u64);
    for branch in &thread.branches {
        word(out, (branch.function.0 as u64) << 32 | branch.pc.0 as u64);
        word(out, branch.to.0 as u64);
    }
    thread.arrivals.encode_branches(out);
}

/// How often a thread has allocated decides the addresses it gets next.
fn encode_allocations(thread: &Thread, out: &mut Vec<u8>) {
    let mut counts: Vec<_> = thread.allocations.iter().map(|(place, made)| (place, made.count)).collect();
    counts.sort_unstable();
    word(out, counts.len() as u64);
    for ((function, pc), count) in counts {
        word(out, (function.0 as u64) << 32 | pc.0 as u64);
        word(out, count as u64);
    }
}

fn encode_store(store: &BufferedStore, out: &mut Vec<u8>) {
    word(out, store.address);
    word(out, store.value);
    word(out, store.fences as u64);
    out.extend([store.size, store.undefined, store.after_all as u8]);
    if let Some(clock) = &store.publishes {
        clock.encode(out);
    }
}

pub(crate) fn word(out: &mut Vec<u8>, value: u64) {
    out.extend(value.to_le_bytes());
}
