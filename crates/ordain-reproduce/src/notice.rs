//! Which points of a thread others have to do with.
//!
//! Interrupting a thread before something that nobody else has to do with is the same as interrupting it after that. What others have to do
//! with is found out on the way: it never becomes less, and when it has become more, whoever left something out begins anew.

use ordain_ir::program::{FuncId, Ordering, Pc};
use ordain_model::witness::MemoryModel;
use ordain_vm::{Machine, Pending, PendingKind, ThreadId};
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Default)]
pub struct Notice {
    /// Who uses which words of memory. `None`: more than one thread.
    users: FxHashMap<u64, Option<ThreadId>>,
    /// How many words more than one thread uses.
    shared: usize,
    /// Where runs ended, and threads left their tapes.
    ends: FxHashSet<(FuncId, Pc)>,
}

impl Notice {
    /// How much is known: it never becomes less.
    pub fn size(&self) -> usize {
        self.shared + self.ends.len()
    }

    /// A run ended here, or a thread left its tape: others may have to come before that.
    pub fn end(&mut self, at: &Pending) {
        self.ends.insert((at.function, at.pc));
    }

    /// A thread accesses memory; whether others have to do with that.
    fn access(&mut self, thread: ThreadId, address: u64, size: u8) -> bool {
        let words = address / 8..(address + u64::from(size)).div_ceil(8);
        let mut shared = false;
        for word in words {
            let user = self.users.entry(word).or_insert(Some(thread));
            if user.is_some_and(|user| user != thread) {
                *user = None;
                self.shared += 1;
            }
            shared |= user.is_none();
        }
        shared
    }

    /// Whether others have to do with what the thread does next.
    pub fn concerns_others(&mut self, machine: &Machine<'_>, thread: ThreadId, pending: &Pending) -> bool {
        let may_end = self.ends.contains(&(pending.function, pending.pc));
        let is_buffered = machine.config().memory != MemoryModel::Sc;
        let others = match pending.kind {
            // What it puts into its buffer, nobody notices before it reaches memory.
            PendingKind::Store { address, size, order, .. } => {
                self.access(thread, address, size) && !(is_buffered && order != Some(Ordering::SeqCst))
                    || order == Some(Ordering::SeqCst) && machine.buffered(thread) > 0
            }
            PendingKind::Load { address, size, .. } => self.access(thread, address, size),
            PendingKind::Rmw { address, size, .. } | PendingKind::CmpXchg { address, size, .. } => {
                self.access(thread, address, size) || machine.buffered(thread) > 0
            }
            PendingKind::Divide { .. } | PendingKind::Malloc { .. } | PendingKind::Output => false,
            _ => true,
        };
        others || may_end
    }
}
