//! Which points of a thread others have to do with.
//!
//! Interrupting a thread before something that nobody else has to do with is the same as interrupting it after that. What others have to do
//! with is found out on the way: it never becomes less, and when it has become more, whoever left something out begins anew.
//!
//! That memory goes away concerns whoever uses it. Of heap objects `free` is a point; stack objects go away between points, so
//! all that a thread does concerns others once they use one of its variables. What is not known to touch only some memory may touch all.

use ordain_ir::program::{FuncId, Ordering, Pc};
use ordain_model::memory::{AllocationKind, AllocationName, ObjectOrigin};
use ordain_model::names::ThreadName;
use ordain_model::witness::MemoryModel;
use ordain_vm::{Machine, Pending, PendingKind, ThreadId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;

const WORD_BYTES: u64 = 8;

#[derive(Default)]
pub struct Notice {
    /// Who uses which words of memory. `None`: more than one thread.
    users: FxHashMap<u64, Option<ThreadId>>,
    /// How many words more than one thread uses.
    shared: usize,
    /// Where runs ended, and threads left their tapes.
    ends: FxHashSet<(FuncId, Pc)>,
    /// The threads that have stack objects which others use.
    lenders: FxHashSet<ThreadName>,
    /// Some thread did something to memory of which it is not known where.
    is_blurred: bool,
}

impl Notice {
    /// How much is known: it never becomes less.
    pub fn size(&self) -> usize {
        self.shared + self.ends.len() + self.lenders.len() + usize::from(self.is_blurred)
    }

    /// A run ended here, or a thread left its tape: others may have to come before that.
    pub fn end(&mut self, at: &Pending) {
        self.ends.insert((at.function, at.pc));
    }

    /// A thread accesses memory; whether others have to do with that.
    fn access(&mut self, machine: &Machine<'_>, thread: ThreadId, address: u64, size: u64) -> bool {
        let words = address / 8..address.saturating_add(size).div_ceil(8);
        let mut shared = self.is_blurred;
        for word in words {
            let user = match self.users.entry(word) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    if let Some(owner) = owner(machine, 8 * word).filter(|owner| owner != machine.name(thread)) {
                        self.lenders.insert(owner);
                    }
                    new.insert(Some(thread))
                }
            };
            if user.is_some_and(|user| user != thread) {
                *user = None;
                self.shared += 1;
                // Of whoever used it before, the owner may be one.
                let others = owner(machine, 8 * word).filter(|owner| owner != machine.name(thread));
                self.lenders.extend(others);
            }
            shared |= user.is_none();
        }
        shared
    }

    /// All of the object at `address` is accessed.
    fn access_object(&mut self, machine: &Machine<'_>, thread: ThreadId, address: u64) {
        let object = machine.address_book().borrow().object(address);
        if let Some(object) = object {
            self.access(machine, thread, object.base, object.size);
        }
    }

    /// Whether others have to do with what the thread does next.
    pub fn concerns_others(&mut self, machine: &Machine<'_>, thread: ThreadId, pending: &Pending) -> bool {
        let may_end = self.ends.contains(&(pending.function, pending.pc));
        let is_lender = self.lenders.contains(machine.name(thread));
        let is_buffered = machine.config().memory != MemoryModel::Sc;
        let others = match pending.kind {
            // What it puts into its buffer, nobody notices before it reaches memory.
            PendingKind::Store { address, size, order, .. } => {
                self.access(machine, thread, address, size.into()) && !(is_buffered && order != Some(Ordering::SeqCst))
                    || order == Some(Ordering::SeqCst) && machine.buffered(thread) > 0
            }
            PendingKind::Load { address, size, .. } => self.access(machine, thread, address, size.into()),
            PendingKind::Rmw { address, size, .. } | PendingKind::CmpXchg { address, size, .. } => {
                self.access(machine, thread, address, size.into()) || machine.buffered(thread) > 0
            }
            PendingKind::Divide { .. } | PendingKind::Malloc { .. } | PendingKind::Output => false,
            PendingKind::Free { address } | PendingKind::Realloc { address, .. } => {
                self.access_object(machine, thread, address);
                true
            }
            PendingKind::Input { address: Some(address), size, .. } => {
                self.access(machine, thread, address, size);
                true
            }
            PendingKind::Create { handle: address } | PendingKind::Join { result: address, .. } => {
                self.access(machine, thread, address, WORD_BYTES);
                true
            }
            PendingKind::Unsupported => {
                self.is_blurred = true;
                true
            }
            _ => true,
        };
        others || may_end || is_lender
    }
}

/// The thread whose variable is at `address`, if it is one that goes away with a call or the thread.
fn owner(machine: &Machine<'_>, address: u64) -> Option<ThreadName> {
    match machine.address_book().borrow().find(address)?.origin {
        ObjectOrigin::Allocation(AllocationName {
            thread,
            kind: AllocationKind::Stack | AllocationKind::ThreadLocal(_),
            ..
        }) => Some(thread),
        _ => None,
    }
}
