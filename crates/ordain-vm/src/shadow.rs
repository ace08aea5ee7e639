//! Beside every eight bytes of an object, who accessed them last: enough to notice a race, if not every pair that races.
//!
//! An access need not be kept if whatever would race with it races with another one that is. That is so for an access that
//! happens before a later one to the same bytes (or more of them), and for one that the same thread repeats without
//! synchronising in between. What is left are few, mostly one: a cell has room for that, so that cells take little memory
//! and few cache misses. Where there are more they are kept in a list elsewhere.

use crate::clock::Clock;
use crate::thread::ThreadId;
use smallvec::SmallVec;
use std::num::NonZeroU32;

pub(crate) const CELL_BYTES: u64 = 8;

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
#[repr(align(16))]
pub(crate) struct Cell {
    /// The only access, if it has bytes. If there are several, a summary of those of one kind that one thread has made lately,
    /// without synchronising in between: what these cover is nothing new.
    only: Stamp,
    /// Where all accesses are, if there are several.
    list: Option<ListId>,
}

const _: () = assert!(size_of::<Cell>() == 16);

type ListId = NonZeroU32;

/// So many accesses to a cell make a list that is one cache line.
const FEW: usize = 4;
const _: () = assert!(size_of::<List>() == 64);

#[derive(Clone, Debug, Default)]
#[repr(align(64))]
struct List {
    stamps: SmallVec<[Stamp; FEW]>,
    /// Whether accesses in it race: later ones have to be compared with all of them.
    races: bool,
}

impl List {
    /// Puts in an access, and takes out those that give way to it.
    #[inline(always)]
    fn replace(&mut self, stamp: Stamp, clock: &Clock) {
        let stamps = self.stamps.as_mut_slice();
        let mut kept = 0;
        for i in 0..stamps.len() {
            if !stamps[i].gives_way_to(&stamp, clock) {
                stamps[kept] = stamps[i];
                kept += 1;
            }
        }
        match stamps.get_mut(kept) {
            Some(place) => {
                *place = stamp;
                self.stamps.truncate(kept + 1);
            }
            None => self.stamps.push(stamp),
        }
    }
}

/// The accesses of the cells that have several.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lists {
    /// The number of a list is its place here plus one.
    lists: Vec<List>,
    vacant: Vec<ListId>,
}

impl Lists {
    fn get(&mut self, id: ListId) -> &mut List {
        &mut self.lists[id.get() as usize - 1]
    }

    fn add(&mut self, stamps: &[Stamp]) -> ListId {
        let id = self.vacant.pop().unwrap_or_else(|| {
            self.lists.push(List::default());
            let number = u32::try_from(self.lists.len()).ok().and_then(ListId::new);
            number.expect("memory is too small for so many lists")
        });
        self.get(id).stamps.extend_from_slice(stamps);
        id
    }

    /// The object with these cells is gone.
    pub fn release(&mut self, cells: &[Cell]) {
        for id in cells.iter().filter_map(|cell| cell.list) {
            let list = self.get(id);
            list.stamps.clear();
            list.races = false;
            self.vacant.push(id);
        }
    }
}

/// What is to be done about an access, given an earlier one.
enum Against {
    /// Nothing: the earlier one stands for both.
    Covered,
    /// The earlier one is replaced.
    Replace(Stamp),
    Race,
    /// Both are kept.
    Keep,
}

impl Stamp {
    #[inline(always)]
    fn against(&self, later: Stamp, clock: &Clock) -> Against {
        if self.thread == later.thread {
            // Had anybody else been here in between, that would have been a race.
            if self.covers(&later) {
                return Against::Covered;
            }
            if self.continues(&later) {
                return Against::Replace(Stamp { bytes: self.bytes | later.bytes, ..later });
            }
        } else if self.is_unordered(&later, clock) {
            return Against::Race;
        }
        if self.gives_way_to(&later, clock) { Against::Replace(later) } else { Against::Keep }
    }
}

impl Cell {
    pub const UNTOUCHED: Cell = Cell { only: NO_ACCESS, list: None };

    /// Enters an access. Returns false, and changes nothing, if it races, or others here did.
    #[inline(always)]
    pub fn enter(&mut self, stamp: Stamp, clock: &Clock, lists: &mut Lists) -> bool {
        if self.list.is_some() {
            let known = self.only.thread == stamp.thread && self.only.covers(&stamp);
            return known || self.enter_list(stamp, clock, lists);
        }
        if self.only.bytes == 0 {
            self.only = stamp;
            return true;
        }
        match self.only.against(stamp, clock) {
            Against::Covered => true,
            Against::Replace(both) => {
                self.only = both;
                true
            }
            Against::Race => false,
            Against::Keep => {
                self.keep(stamp, lists);
                self.only = stamp;
                true
            }
        }
    }

    /// Whether `enter` would return true.
    pub fn accepts(&self, stamp: &Stamp, clock: &Clock, lists: &Lists) -> bool {
        let accepts = |earlier: &Stamp| !earlier.races_with(stamp, clock);
        match self.list {
            Some(id) => {
                let list = &lists.lists[id.get() as usize - 1];
                !list.races && list.stamps.iter().all(accepts)
            }
            None => accepts(&self.only),
        }
    }

    #[inline(never)]
    fn enter_list(&mut self, stamp: Stamp, clock: &Clock, lists: &mut Lists) -> bool {
        let Some(list) = self.list.map(|id| lists.get(id)).filter(|list| !list.races) else { return false };
        let mut entered = stamp;
        let mut covered = false;
        for earlier in &list.stamps {
            match earlier.against(stamp, clock) {
                Against::Covered => {
                    covered = true;
                    break;
                }
                Against::Race => return false,
                Against::Replace(both) => entered.bytes |= both.bytes,
                Against::Keep => {}
            }
        }
        if !covered {
            list.replace(entered, clock);
        }
        let Stamp { epoch, thread, kind, .. } = self.only;
        let known = if (epoch, thread, kind) == (stamp.epoch, stamp.thread, stamp.kind) { self.only.bytes } else { 0 };
        self.only = Stamp { bytes: stamp.bytes | known, ..stamp };
        true
    }

    /// Keeps an access without looking for races.
    #[cold]
    pub fn keep(&mut self, stamp: Stamp, lists: &mut Lists) {
        match self.list {
            Some(id) => lists.get(id).stamps.push(stamp),
            None if self.only.bytes == 0 => self.only = stamp,
            None => {
                self.list = Some(lists.add(&[self.only, stamp]));
                self.only = NO_ACCESS;
            }
        }
    }

    /// Enters an access that races, or that is made where others did; returns those that it races with.
    pub fn enter_racing(&mut self, stamp: Stamp, clock: &Clock, lists: &mut Lists) -> Vec<Stamp> {
        let id = *self.list.get_or_insert_with(|| lists.add(&[self.only]));
        self.only = NO_ACCESS;
        let list = lists.get(id);
        list.races = true;
        let racing = list.stamps.iter().filter(|earlier| earlier.races_with(&stamp, clock)).copied().collect();
        list.replace(stamp, clock);
        racing
    }

    #[cfg(test)]
    fn stamps(&self, lists: &mut Lists) -> Vec<Stamp> {
        self.list.map_or_else(|| vec![self.only], |id| lists.get(id).stamps.to_vec())
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
        let (mut cell, mut lists) = (Cell::UNTOUCHED, Lists::default());
        let mut enter = |stamp, clock: &Clock| cell.enter(stamp, clock, &mut lists);
        assert!(enter(stamp(1, Read, 0xf), &clock(1)));
        assert!(enter(stamp(2, Read, 0xf), &clock(2)));
        assert!(!enter(stamp(1, Write, 0xf), &clock(1)));
        let mut both = clock(1);
        both.join(&clock(2));
        assert!(enter(stamp(1, Write, 0xf), &both));
        assert!(!enter(stamp(2, Read, 1), &clock(2)));
        assert!(enter(stamp(2, Read, 0x10), &clock(2)));
    }

    #[test]
    fn what_adds_nothing_is_not_kept() {
        use AccessKind::{AtomicRead, Read, Write};
        let (mut cell, mut lists) = (Cell::UNTOUCHED, Lists::default());
        assert!(cell.enter(stamp(1, Write, 1), &clock(1), &mut lists));
        assert!(cell.enter(stamp(1, Write, 2), &clock(1), &mut lists));
        assert_eq!(cell.stamps(&mut lists), [stamp(1, Write, 3)]);
        assert!(cell.enter(stamp(1, Read, 2), &clock(1), &mut lists));
        assert!(cell.enter(stamp(1, AtomicRead, 1), &clock(1), &mut lists));
        assert_eq!(cell.stamps(&mut lists).len(), 1);
        assert!(cell.enter(Stamp { site: 8, ..stamp(1, Read, 0xff) }, &clock(1), &mut lists));
        assert_eq!(cell.stamps(&mut lists).len(), 2);
    }

    #[test]
    fn where_accesses_raced_all_later_ones_are_compared_with_all() {
        use AccessKind::Write;
        let (mut cell, mut lists) = (Cell::UNTOUCHED, Lists::default());
        assert!(cell.enter(stamp(1, Write, 0xf), &clock(1), &mut lists));
        assert!(!cell.enter(stamp(2, Write, 0xf), &clock(2), &mut lists));
        assert_eq!(cell.enter_racing(stamp(2, Write, 0xf), &clock(2), &mut lists), [stamp(1, Write, 0xf)]);
        assert!(!cell.enter(stamp(1, Write, 0xf), &clock(1), &mut lists));
        assert_eq!(cell.enter_racing(stamp(1, Write, 0xf), &clock(1), &mut lists), [stamp(2, Write, 0xf)]);
        lists.release(&[cell]);
        let mut other = Cell::UNTOUCHED;
        other.keep(stamp(1, Write, 1), &mut lists);
        other.keep(stamp(2, Write, 2), &mut lists);
        assert!(other.enter(stamp(2, Write, 2), &clock(2), &mut lists));
    }

    #[test]
    fn accesses_across_cells_are_told() {
        assert_eq!(bytes_in_cell(0x1006, 2), Some(0xc0));
        assert_eq!(bytes_in_cell(0x1006, 4), None);
    }
}
