//! Who touches which memory: the assumption behind keeping a thread's private values out of the model.
//!
//! Per aligned word of eight bytes, the threads that were seen to read and to write it, in any run or any unfolded path.
//! (Words, because accesses of different sizes to the same word must be classified alike, and no access crosses one.) It
//! only grows. A read is an event if somebody else writes the word; a write is an event if somebody else reads or writes
//! it. Whenever that changes for a word that was classified before, the generation moves on. The same goes for mutexes that
//! somebody tries to lock, for awaits whose failing rounds others can notice, and for loops that may turn out to be awaits.

use crate::places::Places;
use ordain_ir::program::{BlockId, FuncId};
use ordain_model::names::ThreadName;
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Who {
    Nobody,
    One(u32),
    Many,
}

impl Who {
    fn with(self, thread: u32) -> Who {
        match self {
            Who::Nobody => Who::One(thread),
            Who::One(t) if t == thread => self,
            _ => Who::Many,
        }
    }

    fn and(self, other: Who) -> Who {
        match (self, other) {
            (w, Who::Nobody) | (Who::Nobody, w) => w,
            (w, Who::One(t)) => w.with(t),
            (_, Who::Many) => Who::Many,
        }
    }

    fn others_than(self, thread: u32) -> bool {
        !matches!(self, Who::Nobody) && self != Who::One(thread)
    }
}

#[derive(Clone, Copy, Debug)]
struct Use {
    readers: Who,
    writers: Who,
}

impl Use {
    /// Whether two uses of a word can give different answers to "is this access an event?".
    fn classifies_like(self, other: Use) -> bool {
        self.writers == other.writers
            && (self.writers == Who::Nobody || self.readers.and(self.writers) == other.readers.and(other.writers))
    }
}

#[derive(Clone, Default, Debug)]
pub struct Sharing {
    words: FxHashMap<u64, Use>,
    threads: FxHashMap<ThreadName, u32>,
    /// Mutexes that somebody tries to lock: who has one for a moment is noticed.
    tried: FxHashSet<u64>,
    /// Mutexes that were taken for granted that nobody tries to lock.
    untried: FxHashSet<u64>,
    /// Awaits, by function and loop header, with accesses in failing rounds that may race with something.
    noticed: FxHashSet<(FuncId, BlockId)>,
    /// Loops that may come back to where they were, by function and header: paths must not meet inside their rounds.
    returning: FxHashSet<(FuncId, BlockId)>,
    generation: u64,
    /// The main thread decides something before it creates another.
    unsettled: bool,
    /// Where memory is, if it was elsewhere in a process that was recorded.
    places: Places,
}

impl Sharing {
    /// Moves on whenever an access that was private before is an event now.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Memory that was at the address `there` is here.
    pub fn note_place(&mut self, there: u64, size: u64, here: u64) {
        self.generation += u64::from(self.places.note(there, size, here));
    }

    pub fn place_of(&mut self, there: u64) -> Option<u64> {
        self.places.find(there)
    }

    /// The main thread decides something before it creates another: what memory holds then is not the same on all paths.
    pub fn note_unsettled(&mut self) {
        self.generation += u64::from(!self.unsettled);
        self.unsettled = true;
    }

    pub fn is_unsettled(&self) -> bool {
        self.unsettled
    }

    pub fn note_read(&mut self, thread: &ThreadName, address: u64, bytes: u64) {
        let t = self.index(thread);
        self.note(address, bytes, |u| Use { readers: u.readers.with(t), ..u });
    }

    pub fn note_write(&mut self, thread: &ThreadName, address: u64, bytes: u64) {
        let t = self.index(thread);
        self.note(address, bytes, |u| Use { writers: u.writers.with(t), ..u });
    }

    /// A place in the range is accessed, but it is not known which: leave it to the solver to find out, as if it were
    /// shared.
    pub fn note_unknown(&mut self, address: u64, bytes: u64) {
        self.note(address, bytes, |_| Use { readers: Who::Many, writers: Who::Many });
    }

    pub fn note_tried(&mut self, mutex: u64) {
        if self.tried.insert(mutex) && self.untried.contains(&mutex) {
            self.generation += 1;
        }
    }

    /// Whether nobody tries to lock the mutex, as far as is known. If that changes, the generation moves on.
    pub fn is_untried(&mut self, mutex: u64) -> bool {
        self.untried.insert(mutex);
        !self.tried.contains(&mutex)
    }

    pub fn note_noticed(&mut self, header: (FuncId, BlockId)) {
        if self.noticed.insert(header) {
            self.generation += 1;
        }
    }

    pub fn is_noticed(&self, header: (FuncId, BlockId)) -> bool {
        self.noticed.contains(&header)
    }

    pub fn note_returning(&mut self, header: (FuncId, BlockId)) {
        if self.returning.insert(header) {
            self.generation += 1;
        }
    }

    pub fn is_returning(&self, header: (FuncId, BlockId)) -> bool {
        self.returning.contains(&header)
    }

    pub fn read_is_event(&self, thread: &ThreadName, address: u64, bytes: u64) -> bool {
        let t = self.threads.get(thread).copied().unwrap_or(u32::MAX);
        self.uses(address, bytes).any(|u| u.writers.others_than(t))
    }

    /// Whether what the main thread writes before it creates another is an event: it has to be for memory that is written
    /// later as well. Everything else is simply there.
    pub fn early_write_is_event(&self, thread: &ThreadName, address: u64, bytes: u64) -> bool {
        let is_written_later = |u: &Use| u.writers != Who::Nobody;
        self.write_is_event(thread, address, bytes) && self.uses(address, bytes).any(is_written_later)
    }

    /// The main thread writes this before it creates another: should it turn out to be written later, the generation moves on.
    pub fn note_early_write(&mut self, address: u64, bytes: u64) {
        for w in words(address, bytes) {
            self.words.entry(w).or_insert(Use { readers: Who::Nobody, writers: Who::Nobody });
        }
    }

    pub fn write_is_event(&self, thread: &ThreadName, address: u64, bytes: u64) -> bool {
        let t = self.threads.get(thread).copied().unwrap_or(u32::MAX);
        self.uses(address, bytes).any(|u| u.readers.others_than(t) || u.writers.others_than(t))
    }

    fn uses(&self, address: u64, bytes: u64) -> impl Iterator<Item = &Use> {
        words(address, bytes).filter_map(|w| self.words.get(&w))
    }

    fn index(&mut self, thread: &ThreadName) -> u32 {
        let next = self.threads.len() as u32;
        if let Some(&t) = self.threads.get(thread) {
            return t;
        }
        self.threads.insert(thread.clone(), next);
        next
    }

    fn note(&mut self, address: u64, bytes: u64, change: impl Fn(Use) -> Use) {
        for w in words(address, bytes) {
            match self.words.get_mut(&w) {
                Some(u) => {
                    let new = change(*u);
                    if !u.classifies_like(new) {
                        self.generation += 1;
                    }
                    *u = new;
                }
                None => {
                    self.words.insert(w, change(Use { readers: Who::Nobody, writers: Who::Nobody }));
                }
            }
        }
    }
}

fn words(address: u64, bytes: u64) -> std::ops::Range<u64> {
    address / 8..(address + bytes).div_ceil(8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_reader_of_constant_memory_changes_nothing() {
        let (main, child) = (ThreadName::main(), ThreadName::main().child(1));
        let mut sharing = Sharing::default();
        sharing.note_read(&main, 100, 4);
        sharing.note_read(&child, 100, 4);
        assert_eq!(sharing.generation(), 0);
        assert!(!sharing.read_is_event(&main, 100, 4));
    }

    #[test]
    fn what_was_set_up_early_is_looked_at_anew_when_it_is_written_later() {
        let (main, child) = (ThreadName::main(), ThreadName::main().child(1));
        let mut sharing = Sharing::default();
        sharing.note_early_write(100, 4);
        sharing.note_read(&child, 100, 4);
        assert_eq!(sharing.generation(), 0);
        assert!(!sharing.early_write_is_event(&main, 100, 4));
        sharing.note_write(&child, 100, 4);
        assert_ne!(sharing.generation(), 0);
        assert!(sharing.early_write_is_event(&main, 100, 4));
    }

    #[test]
    fn a_write_by_another_thread_makes_reads_events() {
        let (main, child) = (ThreadName::main(), ThreadName::main().child(1));
        let mut sharing = Sharing::default();
        sharing.note_write(&main, 100, 4);
        sharing.note_read(&main, 100, 4);
        assert_eq!(sharing.generation(), 0);
        sharing.note_write(&child, 103, 1);
        assert_ne!(sharing.generation(), 0);
        assert!(sharing.read_is_event(&main, 100, 4));
        assert!(!sharing.read_is_event(&main, 104, 4));
        assert!(sharing.write_is_event(&child, 103, 1));
    }
}
