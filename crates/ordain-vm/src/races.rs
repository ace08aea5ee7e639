//! Data races of the run at hand: pairs of conflicting accesses that happens-before leaves unordered.
//!
//! Happens-before is kept in vector clocks: program order, create and join, unlock to the next lock, and releasing
//! stores (with the read-modify-writes that continue them) to acquiring loads, with fences. Atomic sections count as one
//! lock. Each eight bytes of memory keep the accesses to them. Of several accesses of a thread by the same instruction
//! only the last is kept: if that one is ordered before a later access, so are the earlier ones, so no pair of places
//! gets lost.

use crate::clock::Clock;
use crate::config::RaceMode;
use crate::fingerprint::word;
use crate::shadow::{self, AccessKind, CELL_BYTES, Stamp};
use crate::thread::{Thread, ThreadId};
use ordain_ir::program::{FuncId, Ordering, Pc};
use ordain_model::failure::{Failure, Place};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// An instruction.
type Site = (FuncId, Pc);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Access {
    pub thread: ThreadId,
    pub epoch: u32,
    /// The instruction in the user's code.
    pub at: Site,
    pub write: bool,
    pub atomic: bool,
    /// Which bytes of the cell.
    bytes: u8,
}

impl Access {
    pub fn stamp(&self, site: shadow::Site) -> Stamp {
        let Access { thread, epoch, write, atomic, bytes, .. } = *self;
        Stamp { epoch, site, thread: thread.0 as u16, bytes, kind: AccessKind::new(write, atomic) }
    }

    fn key(&self) -> [u32; 5] {
        let flags = (self.bytes as u32) << 2 | (self.write as u32) << 1 | self.atomic as u32;
        [self.thread.0, self.epoch, self.at.0.0, self.at.1.0, flags]
    }
}

/// What kind of access, to where.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    pub address: u64,
    pub size: u64,
    pub write: bool,
    pub atomic: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Races {
    mode: RaceMode,
    /// All accesses, for `RaceMode::Full`.
    cells: FxHashMap<u64, Rc<Vec<Access>>>,
    /// What an acquiring load of an atomic synchronises with, and the atomic's size, by address.
    atomics: FxHashMap<u64, (u8, Rc<Clock>)>,
    mutexes: FxHashMap<u64, Rc<Clock>>,
    atomic_sections: Clock,
    found: Vec<Failure>,
    /// Pairs of instructions, and of the places they stand for, that have been reported.
    known: FxHashSet<(Site, Site)>,
    reported: FxHashSet<(Place, Place)>,
}

impl Races {
    pub fn new(mode: RaceMode) -> Self {
        Races {
            mode,
            cells: FxHashMap::default(),
            atomics: FxHashMap::default(),
            mutexes: FxHashMap::default(),
            atomic_sections: Clock::default(),
            found: Vec::new(),
            known: FxHashSet::default(),
            reported: FxHashSet::default(),
        }
    }

    #[inline]
    pub fn off(&self) -> bool {
        self.mode == RaceMode::Off
    }

    pub fn found(&self) -> &[Failure] {
        &self.found
    }

    /// Keeps `race` unless its two places were reported before.
    pub fn report(&mut self, race: Failure) {
        let (mut a, mut b) = (race.place.clone(), race.others[0].1.clone());
        if b < a {
            std::mem::swap(&mut a, &mut b);
        }
        if self.reported.insert((a, b)) {
            self.found.push(race);
        }
    }

    /// Enters an access by `thread` and returns the earlier ones it races with, each pair of instructions once.
    pub fn access(&mut self, thread: &Thread, at: Site, touch: Touch) -> Vec<Access> {
        let mut racing = Vec::new();
        let (first, last) = (touch.address / CELL_BYTES, (touch.address + touch.size.max(1) - 1) / CELL_BYTES);
        for cell in first..=last {
            let from = touch.address.max(cell * CELL_BYTES) % CELL_BYTES;
            let to = (touch.address + touch.size).min((cell + 1) * CELL_BYTES) - cell * CELL_BYTES;
            let bytes = (from..to).fold(0, |mask, i| mask | 1 << i);
            let Touch { write, atomic, .. } = touch;
            let access = Access { thread: thread.id, epoch: thread.clock.get(thread.id), at, write, atomic, bytes };
            self.access_cell(cell, access, &thread.clock, &mut racing);
        }
        racing
    }

    fn access_cell(&mut self, cell: u64, access: Access, clock: &Clock, racing: &mut Vec<Access>) {
        let earlier = Rc::make_mut(self.cells.entry(cell).or_default());
        let known = &mut self.known;
        racing.extend(earlier.iter().filter(|o| races(o, &access, clock) && known.insert((o.at, access.at))));
        let replaced = earlier.iter_mut().find(|other| {
            (other.thread, other.write, other.atomic, other.bytes, other.at)
                == (access.thread, access.write, access.atomic, access.bytes, access.at)
        });
        match replaced {
            Some(other) => *other = access,
            None => earlier.push(access),
        }
    }

    /// All accesses so far, each with an address that it is of; from now on they are kept beside the bytes.
    pub fn take_accesses(&mut self) -> Vec<(u64, Access)> {
        self.mode = RaceMode::Last;
        let cells = std::mem::take(&mut self.cells);
        let place = |cell: u64, access: &Access| (cell * CELL_BYTES + access.bytes.trailing_zeros() as u64, *access);
        cells.iter().flat_map(|(cell, accesses)| accesses.iter().map(|access| place(*cell, access))).collect()
    }

    /// Whether a pair of instructions is seen to race for the first time.
    pub fn is_news(&mut self, earlier: Site, later: Site) -> bool {
        self.known.insert((earlier, later))
    }

    /// What later accesses may race with, and what they may synchronise with.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let mut cells: Vec<_> = self.cells.iter().collect();
        cells.sort_unstable_by_key(|(cell, _)| **cell);
        for (cell, accesses) in cells {
            word(out, *cell);
            word(out, accesses.len() as u64);
            let mut accesses: Vec<_> = accesses.iter().map(Access::key).collect();
            accesses.sort_unstable();
            accesses.iter().flatten().for_each(|part| out.extend(part.to_le_bytes()));
        }
        let mut clocks: Vec<_> = self.atomics.iter().map(|(at, (size, clock))| (*at, *size, clock)).collect();
        clocks.extend(self.mutexes.iter().map(|(at, clock)| (*at, 0, clock)));
        clocks.sort_unstable_by_key(|(at, size, _)| (*at, *size));
        for (at, size, clock) in clocks {
            word(out, at);
            out.push(size);
            clock.encode(out);
        }
        self.atomic_sections.encode(out);
    }

    pub fn lock(&mut self, thread: &mut Thread, mutex: u64) {
        if let Some(clock) = self.mutexes.get(&mutex) {
            thread.clock.join(clock);
        }
    }

    pub fn unlock(&mut self, thread: &mut Thread, mutex: u64) {
        if !self.off() {
            self.mutexes.insert(mutex, Rc::new(thread.clock.clone()));
            thread.clock.advance(thread.id);
        }
    }

    pub fn atomic_begin(&mut self, thread: &mut Thread) {
        thread.clock.join(&self.atomic_sections);
    }

    pub fn atomic_end(&mut self, thread: &mut Thread) {
        if !self.off() {
            self.atomic_sections.join(&thread.clock);
            thread.clock.advance(thread.id);
        }
    }

    pub fn create(&mut self, parent: &mut Thread, child: &mut Thread) {
        if !self.off() {
            child.clock.join(&parent.clock);
            parent.clock.advance(parent.id);
        }
    }

    pub fn join(&mut self, thread: &mut Thread, ended: &Thread) {
        if !self.off() {
            thread.clock.join(&ended.clock);
        }
    }

    /// What a store of this order makes known to loads that acquire it. `None` for a plain store.
    pub fn publish(&mut self, thread: &mut Thread, order: Option<Ordering>) -> Option<Rc<Clock>> {
        let order = order?;
        if self.off() {
            return None;
        }
        if !releases(order) {
            return Some(Rc::new(thread.release_fence.clone()));
        }
        let clock = Rc::new(thread.clock.clone());
        thread.clock.advance(thread.id);
        Some(clock)
    }

    /// A store reaches memory. `published` is what `publish` returned when it was executed.
    pub fn stored(&mut self, address: u64, size: u8, published: Option<Rc<Clock>>) {
        if self.off() || (self.atomics.is_empty() && published.is_none()) {
            return;
        }
        for at in address.saturating_sub(CELL_BYTES - 1)..address + size as u64 {
            if self.atomics.get(&at).is_some_and(|(size, _)| at + *size as u64 > address) {
                self.atomics.remove(&at);
            }
        }
        if let Some(clock) = published {
            self.atomics.insert(address, (size, clock));
        }
    }

    /// An atomic load, or the load of a read-modify-write.
    pub fn loaded(&mut self, thread: &mut Thread, address: u64, order: Ordering) {
        if let Some((_, clock)) = self.atomics.get(&address) {
            if acquires(order) {
                thread.clock.join(clock);
            } else {
                thread.unacquired.join(clock);
            }
        }
    }

    /// The store of a read-modify-write: continues what it read from.
    pub fn updated(&mut self, thread: &mut Thread, address: u64, size: u8, order: Ordering) {
        if self.off() {
            return;
        }
        let continued = self.atomics.get(&address).map(|(_, clock)| clock.clone());
        let mut clock = self.publish(thread, Some(order)).map_or_else(Clock::default, |c| (*c).clone());
        if let Some(continued) = continued {
            clock.join(&continued);
        }
        self.stored(address, size, Some(Rc::new(clock)));
    }

    pub fn fence(&mut self, thread: &mut Thread, order: Ordering) {
        if self.off() {
            return;
        }
        if acquires(order) {
            let unacquired = std::mem::take(&mut thread.unacquired);
            thread.clock.join(&unacquired);
        }
        if releases(order) {
            thread.release_fence = thread.clock.clone();
            thread.clock.advance(thread.id);
        }
    }
}

fn races(earlier: &Access, later: &Access, clock: &Clock) -> bool {
    earlier.thread != later.thread
        && earlier.bytes & later.bytes != 0
        && (earlier.write || later.write)
        && !(earlier.atomic && later.atomic)
        && earlier.epoch > clock.get(earlier.thread)
}

fn acquires(order: Ordering) -> bool {
    matches!(order, Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst)
}

fn releases(order: Ordering) -> bool {
    matches!(order, Ordering::Release | Ordering::AcqRel | Ordering::SeqCst)
}
