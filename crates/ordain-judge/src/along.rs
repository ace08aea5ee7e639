//! Interleavings in which every thread goes a given way, or a part of it. What a thread does last may lead it elsewhere, but it goes no
//! further then; if that is to its end, it has ended.

use ordain_model::names::ThreadName;
use ordain_vm::tape::{Along, Apart, Tape};
use ordain_vm::{Branch, Machine, Passed, Status, ThreadId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The ways of the threads.
#[derive(Clone, Copy)]
pub(crate) struct Tapes<'w> {
    /// A thread that is not here does nothing that anybody notices.
    pub tapes: &'w FxHashMap<ThreadName, Arc<Tape>>,
    /// Branches that are no part of any way.
    pub is_left_open: &'w dyn Fn(&Branch) -> bool,
}

impl Tapes<'_> {
    /// How far the thread has come, unless it has gone another way.
    pub fn along(self, machine: &Machine<'_>, thread: ThreadId) -> Result<Along, Apart> {
        let tape = self.tapes.get(machine.name(thread)).cloned().unwrap_or_default();
        let mut along = Along::default();
        let taken = machine.branches(thread).iter().copied().filter(|branch| !(self.is_left_open)(branch));
        let taken: Vec<Passed> = taken.map(Passed::Branch).collect();
        along.go(&tape, &taken).map(|_| along)
    }

    /// Everything that one thread can do next, and whose turn it was then.
    pub fn steps<'p>(self, machine: &Machine<'p>) -> Vec<(ThreadId, Machine<'p>)> {
        let mut steps = Vec::new();
        for thread in machine.thread_ids() {
            let is_over = machine.status(thread) != Status::Ready || self.along(machine, thread).is_err();
            if is_over {
                continue;
            }
            for outcome in 0..machine.outcomes(thread) {
                let mut next = machine.clone();
                next.step_with(thread, outcome);
                steps.push((thread, next));
            }
        }
        steps
    }

    /// Two states of the same key go on in the same ways.
    pub fn key(self, machine: &Machine<'_>) -> Vec<u8> {
        let mut key = machine.fingerprint();
        for thread in machine.thread_ids() {
            let steps = self.along(machine, thread).map_or(usize::MAX, |along| along.steps());
            key.extend(steps.to_le_bytes());
        }
        key
    }
}
