//! Which write a read got its value from.
//!
//! Memory is followed byte by byte, store buffers as lists: a store that has not reached memory yet is seen by its own
//! thread only. A read that mixes several writes is attributed to the one of its first byte.

use ordain_ir::program::Ordering;
use ordain_vm::{Action, Executed, ThreadId};
use std::collections::HashMap;

/// A write, as the reader of a story wants it named.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Writer {
    pub thread: ThreadId,
    pub file: u32,
    pub line: u32,
}

#[derive(Clone, Copy)]
struct Pending {
    address: u64,
    size: u8,
    writer: Writer,
}

#[derive(Default)]
pub struct Origins {
    buffered: bool,
    memory: HashMap<u64, Writer>,
    pending: HashMap<ThreadId, Vec<Pending>>,
}

impl Origins {
    /// `buffered`: plain stores wait for a `Commit` in the log.
    pub fn new(buffered: bool) -> Self {
        Origins { buffered, ..Origins::default() }
    }

    /// Who wrote what `thread` sees at `address`; `None`: nobody since the program started.
    pub fn of(&self, thread: ThreadId, address: u64) -> Option<Writer> {
        let own = self.pending.get(&thread).into_iter().flatten().rev();
        own.into_iter()
            .find(|p| (p.address..p.address + u64::from(p.size)).contains(&address))
            .map(|p| p.writer)
            .or_else(|| self.memory.get(&address).copied())
    }

    /// Whether stores of this kind wait in the thread's buffer.
    pub fn buffers(&self, order: Option<Ordering>) -> bool {
        self.buffered && order != Some(Ordering::SeqCst)
    }

    /// The store that a `Commit` lets through.
    pub fn committed(&self, executed: &Executed) -> Option<Writer> {
        let Action::Commit { address, size, .. } = executed.action else { return None };
        let pending = self.pending.get(&executed.thread)?;
        pending.iter().find(|p| p.address == address && p.size == size).map(|p| p.writer)
    }

    /// Takes note of what an executed point wrote.
    pub fn note(&mut self, executed: &Executed) {
        let writer = Writer { thread: executed.thread, file: executed.location.file, line: executed.location.line };
        match &executed.action {
            Action::Store { address, size, order, .. } if self.buffers(*order) => {
                let pending = Pending { address: *address, size: *size, writer };
                self.pending.entry(executed.thread).or_default().push(pending);
            }
            Action::Store { address, size, .. } | Action::Rmw { address, size, .. } => {
                self.write(*address, u64::from(*size), writer);
            }
            Action::CmpXchg { address, size, new: Some(_), .. } => self.write(*address, u64::from(*size), writer),
            Action::Input { address: Some(address), bytes, .. } => self.write(*address, bytes.len() as u64, writer),
            Action::Commit { address, size, .. } => self.commit(executed.thread, *address, *size),
            _ => {}
        }
    }

    fn commit(&mut self, thread: ThreadId, address: u64, size: u8) {
        let Some(pending) = self.pending.get_mut(&thread) else { return };
        if let Some(i) = pending.iter().position(|p| p.address == address && p.size == size) {
            let store = pending.remove(i);
            self.write(address, u64::from(size), store.writer);
        }
    }

    fn write(&mut self, address: u64, bytes: u64, writer: Writer) {
        self.memory.extend((address..address + bytes).map(|byte| (byte, writer)));
    }
}
