//! Beside every eight bytes of an object, who accessed them last: enough to notice a race, if not every pair that races.
//!
//! An access need not be kept if whatever would race with it races with another one that is. That is so for an access that
//! happens before a later one to the same bytes (or more of them), and for one that the same thread repeats without
//! synchronising in between. What is left are few; most cells have room for all, the rest spills over into `Races`.

use crate::clock::Clock;
use crate::thread::ThreadId;

pub(crate) const CELL_BYTES: u64 = 8;
const ROOM: usize = 5;

/// An instruction, counted through all functions.
pub(crate) type Site = u32;

/// One access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stamp {
    pub epoch: u32,
    pub site: Site,
    pub thread: u16,
    /// Which bytes of the cell.
    pub bytes: u8,
    pub kind: AccessKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AccessKind {
    Read,
    Write,
    AtomicRead,
    AtomicWrite,
}

impl AccessKind {
    pub fn new(write: bool, atomic: bool) -> Self {
        match (write, atomic) {
            (false, false) => AccessKind::Read,
            (true, false) => AccessKind::Write,
            (false, true) => AccessKind::AtomicRead,
            (true, true) => AccessKind::AtomicWrite,
        }
    }

    #[inline(always)]
    pub fn is_write(self) -> bool {
        matches!(self, AccessKind::Write | AccessKind::AtomicWrite)
    }

    #[inline(always)]
    fn is_atomic(self) -> bool {
        matches!(self, AccessKind::AtomicRead | AccessKind::AtomicWrite)
    }

    #[inline(always)]
    fn conflicts_with(self, other: AccessKind) -> bool {
        (self.is_write() || other.is_write()) && !(self.is_atomic() && other.is_atomic())
    }

    /// Whether whatever conflicts with `other` conflicts with this.
    #[inline(always)]
    fn stands_for(self, other: AccessKind) -> bool {
        self == other || self == AccessKind::Write || (other == AccessKind::AtomicRead && self.is_write())
    }
}

const NO_ACCESS: Stamp = Stamp { epoch: 0, site: 0, thread: 0, bytes: 0, kind: AccessKind::Read };

impl Stamp {
    /// Whether it conflicts with `later`, another thread's, without happening before it.
    #[inline(always)]
    fn is_unordered(&self, later: &Stamp, clock: &Clock) -> bool {
        self.bytes & later.bytes != 0
            && self.kind.conflicts_with(later.kind)
            && self.epoch > clock.get(ThreadId(self.thread as u32))
    }

    /// Whether it races with `later`, made by a thread with this clock.
    pub fn races_with(&self, later: &Stamp, clock: &Clock) -> bool {
        self.thread != later.thread && self.is_unordered(later, clock)
    }

    /// Whether `later`, another access of the same thread, adds nothing to it.
    #[inline(always)]
    fn covers(&self, later: &Stamp) -> bool {
        self.epoch == later.epoch && later.bytes & !self.bytes == 0 && self.kind.stands_for(later.kind)
    }

    /// Whether nothing is lost if `later` takes its place.
    #[inline(always)]
    pub fn gives_way_to(&self, later: &Stamp, clock: &Clock) -> bool {
        self.bytes & !later.bytes == 0
            && later.kind.stands_for(self.kind)
            && (self.thread == later.thread || self.epoch <= clock.get(ThreadId(self.thread as u32)))
    }

    /// Whether the two differ in their bytes only: a loop goes through those of a cell.
    #[inline(always)]
    fn continues(&self, later: &Stamp) -> bool {
        Stamp { bytes: self.bytes, ..*later } == *self
    }
}

/// The accesses to eight bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cell {
    stamps: [Stamp; ROOM],
    used: u8,
    /// Whether there are more than fit here.
    pub more: bool,
}

impl Cell {
    pub const UNTOUCHED: Cell = Cell { stamps: [NO_ACCESS; ROOM], used: 0, more: false };

    pub fn stamps(&self) -> &[Stamp] {
        &self.stamps[..self.used as usize]
    }

    /// Keeps an access without looking for races, if there is room.
    pub fn keep(&mut self, stamp: Stamp) -> bool {
        let Some(slot) = self.stamps.get_mut(self.used as usize) else { return false };
        *slot = stamp;
        self.used += 1;
        true
    }

    /// Enters an access. Returns false, and changes nothing, if it races or does not fit.
    #[inline(always)]
    pub fn enter(&mut self, stamp: Stamp, clock: &Clock) -> bool {
        if self.more {
            return false;
        }
        let used = self.used as usize;
        let mut place = used;
        for (i, earlier) in self.stamps[..used.min(ROOM)].iter().enumerate() {
            if earlier.thread == stamp.thread {
                // Had anybody else been here in between, that would have been a race.
                if earlier.covers(&stamp) {
                    return true;
                }
                if earlier.continues(&stamp) {
                    place = i;
                    continue;
                }
            } else if earlier.is_unordered(&stamp, clock) {
                return false;
            }
            if earlier.gives_way_to(&stamp, clock) {
                place = i;
            }
        }
        let Some(slot) = self.stamps.get_mut(place) else { return false };
        let before = if slot.continues(&stamp) { slot.bytes } else { 0 };
        *slot = Stamp { bytes: stamp.bytes | before, ..stamp };
        self.used = used.max(place + 1) as u8;
        true
    }
}

/// Which bytes of its first cell an access of `size` bytes at `address` has, if it is in one cell only.
#[inline(always)]
pub(crate) fn bytes_in_cell(address: u64, size: u64) -> Option<u8> {
    let from = address % CELL_BYTES;
    (from + size <= CELL_BYTES).then(|| (((1u16 << size) - 1) << from) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(thread: u16, kind: AccessKind, bytes: u8) -> Stamp {
        Stamp { epoch: 1, site: 7, thread, bytes, kind }
    }

    fn clock(of: u32) -> Clock {
        let mut clock = Clock::default();
        clock.advance(ThreadId(of));
        clock
    }

    #[test]
    fn reads_of_two_threads_fit_and_a_write_after_them_is_noticed() {
        use AccessKind::{Read, Write};
        let mut cell = Cell::UNTOUCHED;
        assert!(cell.enter(stamp(1, Read, 0xf), &clock(1)));
        assert!(cell.enter(stamp(2, Read, 0xf), &clock(2)));
        assert!(!cell.enter(stamp(1, Write, 0xf), &clock(1)));
        let mut both = clock(1);
        both.join(&clock(2));
        assert!(cell.enter(stamp(1, Write, 0xf), &both));
        assert!(!cell.enter(stamp(2, Read, 1), &clock(2)));
        assert!(cell.enter(stamp(2, Read, 0x10), &clock(2)));
    }

    #[test]
    fn what_adds_nothing_is_not_kept() {
        use AccessKind::{AtomicRead, Read, Write};
        let mut cell = Cell::UNTOUCHED;
        assert!(cell.enter(stamp(1, Write, 1), &clock(1)));
        assert!(cell.enter(stamp(1, Write, 2), &clock(1)));
        assert_eq!(cell.stamps(), [stamp(1, Write, 3)]);
        assert!(cell.enter(stamp(1, Read, 2), &clock(1)));
        assert!(cell.enter(stamp(1, AtomicRead, 1), &clock(1)));
        assert_eq!(cell.stamps().len(), 1);
        assert!(cell.enter(Stamp { site: 8, ..stamp(1, Read, 0xff) }, &clock(1)));
        assert_eq!(cell.stamps().len(), 2);
    }

    #[test]
    fn accesses_across_cells_are_told() {
        assert_eq!(bytes_in_cell(0x1006, 2), Some(0xc0));
        assert_eq!(bytes_in_cell(0x1006, 4), None);
    }
}
