//! Beside every eight bytes of an object, who accessed them last: enough to notice a race, if not every pair that races.
//!
//! An access that happens before a later one at the same place need not be kept: whatever would race with it races with the
//! later one as well. So one write and one read per thread are all there is to keep, and most places have two threads at
//! most; the rest spills over into `Races`.

use crate::clock::Clock;
use crate::thread::ThreadId;

pub(crate) const CELL_BYTES: u64 = 8;

/// An instruction, counted through all functions.
pub(crate) type Site = u32;

/// One access, or none if its epoch is 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Stamp {
    pub epoch: u32,
    pub site: Site,
    pub thread: u16,
    /// Which bytes of the cell.
    pub bytes: u8,
    pub atomic: bool,
}

const NOWHERE: Stamp = Stamp { epoch: 0, site: 0, thread: 0, bytes: 0, atomic: false };

/// The accesses to eight bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cell {
    pub write: Stamp,
    /// Threads with even numbers and with odd ones.
    pub reads: [Stamp; 2],
    /// Whether there are more accesses, and more writes, than fit here.
    pub more: bool,
    pub more_writes: bool,
}

impl Cell {
    pub const UNTOUCHED: Cell = Cell { write: NOWHERE, reads: [NOWHERE; 2], more: false, more_writes: false };
}

impl Stamp {
    /// Whether it is known to happen before what a thread with this clock does now.
    #[inline(always)]
    pub fn is_before(&self, thread: u16, clock: &Clock) -> bool {
        self.thread == thread || self.epoch <= clock.get(ThreadId(self.thread as u32))
    }

    /// Whether it conflicts with `later` without happening before it; at least one of them must be a write.
    #[inline(always)]
    pub fn races_with(&self, later: &Stamp, clock: &Clock) -> bool {
        self.bytes & later.bytes != 0 && !(self.atomic && later.atomic) && !self.is_before(later.thread, clock)
    }

    /// Whether nothing is lost if `later` takes its place.
    #[inline(always)]
    pub fn gives_way_to(&self, later: &Stamp, clock: &Clock) -> bool {
        self.epoch == 0
            || (self.bytes & !later.bytes == 0 && (self.atomic || !later.atomic) && self.is_before(later.thread, clock))
    }

    /// Takes in another access, if one stamp can stand for both: a loop goes through the bytes of a cell.
    #[inline(always)]
    pub fn take_in(&mut self, later: Stamp, clock: &Clock) -> bool {
        if self.gives_way_to(&later, clock) {
            *self = later;
            return true;
        }
        let same = Stamp { bytes: self.bytes, ..later } == *self;
        if same {
            self.bytes |= later.bytes;
        }
        same
    }
}

impl Cell {
    /// Enters a read. Returns false, and changes nothing, if it takes more than that.
    #[inline(always)]
    pub fn read(&mut self, stamp: Stamp, clock: &Clock) -> bool {
        let raced = self.more_writes || self.write.races_with(&stamp, clock);
        !raced && self.reads[stamp.thread as usize % 2].take_in(stamp, clock)
    }

    /// Enters a write. Returns false, and changes nothing, if it takes more than that.
    #[inline(always)]
    pub fn write(&mut self, stamp: Stamp, clock: &Clock) -> bool {
        let raced = self.more
            || self.reads.iter().any(|read| read.races_with(&stamp, clock))
            || self.write.races_with(&stamp, clock);
        !raced && self.write.take_in(stamp, clock)
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

    fn stamp(thread: u16, epoch: u32) -> Stamp {
        Stamp { epoch, site: 7, thread, bytes: 0xf, atomic: false }
    }

    fn clock(of: u32) -> Clock {
        let mut clock = Clock::default();
        clock.advance(ThreadId(of));
        clock
    }

    #[test]
    fn reads_of_two_threads_fit_and_a_write_after_them_is_noticed() {
        let mut cell = Cell::UNTOUCHED;
        assert!(cell.read(stamp(1, 1), &clock(1)));
        assert!(cell.read(stamp(2, 1), &clock(2)));
        assert!(!cell.write(stamp(1, 1), &clock(1)));
        let mut both = clock(1);
        both.join(&clock(2));
        assert!(cell.write(stamp(1, 1), &both));
        assert!(!cell.read(stamp(2, 1), &clock(2)));
    }

    #[test]
    fn part_of_a_cell_does_not_take_the_place_of_all_of_it() {
        let mut cell = Cell::UNTOUCHED;
        assert!(cell.write(stamp(1, 1), &clock(1)));
        assert!(!cell.write(Stamp { bytes: 1, site: 8, ..stamp(1, 1) }, &clock(1)));
        assert!(cell.write(Stamp { bytes: 0x10, ..stamp(1, 1) }, &clock(1)));
        assert_eq!(cell.write.bytes, 0x1f);
        assert_eq!(bytes_in_cell(0x1006, 2), Some(0xc0));
        assert_eq!(bytes_in_cell(0x1006, 4), None);
    }
}
