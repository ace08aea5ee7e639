//! The bytes of a run: live objects, each shared between copies of a machine until one of them writes to it.
//!
//! A byte is defined once something was written to it. Objects that died are forgotten here; the address book still
//! knows them, which is how an access to one is told from a wild one.

mod blocks;

use crate::lines::{Found, Line, Lines};
pub(crate) use crate::object::{ALL_UNDEFINED, Object, ObjectKind, Undefined};
use crate::pages::{Pages, Slot};
use crate::shadow::{CELL_BYTES, Cell, Lists};

/// A live object and where it is.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(crate) struct Entry {
    pub base: u64,
    pub object: Object,
}

/// What a small object takes is one cache line.
const _: () = assert!(size_of::<Option<Entry>>() == 64);

impl Entry {
    /// One past the last byte.
    pub fn end(&self) -> u64 {
        self.base + self.object.size() as u64
    }

    /// Whether `size` bytes at `address` are all in it.
    #[inline]
    fn holds(&self, address: u64, size: u64) -> bool {
        let (offset, length) = (address.wrapping_sub(self.base), self.object.size() as u64);
        offset <= length && length - offset >= size
    }
}

/// No live object holds all the bytes of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Unmapped;

#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    entries: Vec<Option<Entry>>,
    vacant: Vec<Slot>,
    pages: Pages,
    lines: Lines,
    /// Beside the cells of objects.
    lists: Lists,
}

impl Memory {
    pub fn insert(&mut self, base: u64, object: Object) {
        let size = object.size() as u64;
        let entry = Some(Entry { base, object });
        let slot = match self.vacant.pop() {
            Some(slot) => {
                self.entries[slot as usize] = entry;
                slot
            }
            None => {
                if self.entries.len() == self.entries.capacity() {
                    // Small objects are about to move.
                    self.lines.forget_all();
                }
                self.entries.push(entry);
                (self.entries.len() - 1) as Slot
            }
        };
        let entries = &self.entries;
        self.pages.insert(base, size, slot, |other| entries[other as usize].as_ref().map_or(0, |e| e.base));
    }

    /// The object at `base` dies; says whether there was one.
    pub fn remove(&mut self, base: u64) -> bool {
        let Some(slot) = self.at(base) else { return false };
        let Some(entry) = self.entries[slot as usize].take() else { return false };
        let size = entry.object.size() as u64;
        self.lists.release(entry.object.known_cells());
        self.pages.remove(base, size, slot);
        self.lines.forget(base, size);
        self.vacant.push(slot);
        true
    }

    /// All live objects, in order of address.
    pub fn in_order(&self) -> Vec<&Entry> {
        let mut entries: Vec<&Entry> = self.entries.iter().flatten().collect();
        entries.sort_unstable_by_key(|e| e.base);
        entries
    }

    fn at(&self, base: u64) -> Option<Slot> {
        self.pages.find(base).filter(|&slot| self.entries[slot as usize].as_ref().is_some_and(|e| e.base == base))
    }

    /// The live object that starts at `base`.
    pub fn object(&self, base: u64) -> Option<&Object> {
        self.entries[self.at(base)? as usize].as_ref().map(|entry| &entry.object)
    }

    #[inline]
    fn find(&self, address: u64, size: u64) -> Result<usize, Unmapped> {
        let holds = |slot: Slot| match &self.entries[slot as usize] {
            Some(entry) if entry.holds(address, size) => Ok(slot as usize),
            _ => Err(Unmapped),
        };
        match self.pages.find(address) {
            Some(slot) => holds(slot),
            // No bytes at the very end of an object.
            None if size == 0 => self.pages.find(address.wrapping_sub(1)).map_or(Err(Unmapped), holds),
            None => Err(Unmapped),
        }
    }

    fn entry(&self, address: u64, size: u64) -> Result<&Entry, Unmapped> {
        self.entries[self.find(address, size)?].as_ref().ok_or(Unmapped)
    }

    /// The live object that `size` bytes at `address` lie in.
    pub fn check(&self, address: u64, size: u64) -> Result<&Entry, Unmapped> {
        self.entry(address, size)
    }

    #[inline]
    pub fn load(&self, address: u64, size: u8) -> Result<(u64, Undefined), Unmapped> {
        let entry = self.entry(address, size as u64)?;
        let offset = (address - entry.base) as usize;
        let bytes = &entry.object.bytes()[offset..offset + size as usize];
        let value = match *bytes {
            [a] => a as u64,
            [a, b] => u16::from_le_bytes([a, b]) as u64,
            [a, b, c, d] => u32::from_le_bytes([a, b, c, d]) as u64,
            [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
            _ => bytes.iter().rev().fold(0, |value, byte| value << 8 | *byte as u64),
        };
        Ok((value, entry.object.undefined_in(offset, size as usize)))
    }

    /// Writes the low `size` bytes; returns whether anything is different now.
    #[inline]
    pub fn store(&mut self, address: u64, size: u8, value: u64, undefined: Undefined) -> Result<bool, Unmapped> {
        let at = self.find(address, size as u64)?;
        let entry = self.entries[at].as_mut().ok_or(Unmapped)?;
        let offset = (address - entry.base) as usize;
        let object = &mut entry.object;
        if object.is_shared() {
            self.lines.forget_all();
        }
        let new = &value.to_le_bytes()[..size as usize];
        let old = &mut object.bytes_mut()[offset..offset + size as usize];
        let changed = old != new;
        old.copy_from_slice(new);
        let undefined = undefined & crate::object::low_bits(size as usize);
        let before = object.undefined_in(offset, size as usize);
        if before != undefined {
            if !object.has_undefined_bits() {
                self.lines.forget_all();
            }
            object.set_undefined(offset, size as usize, undefined);
        }
        Ok(changed || before != undefined)
    }

    /// The line of `address`, if accesses there were looked up lately.
    #[inline(always)]
    pub fn line(&self, address: u64) -> Option<&Line> {
        self.lines.get(address)
    }

    /// Somebody has a pointer to `address` now, and may be about to use it: its object had better be in the cache.
    #[inline(always)]
    pub fn expect_access(&self, address: u64) {
        if self.pages.is_heap(address)
            && let Some(slot) = self.pages.find(address)
            && let Some(entry) = self.entries.get(slot as usize)
        {
            prefetch(entry);
        }
    }

    /// Looks up the line of `address` for writing or, if `write` is false, at least for reading. `races` says whether
    /// races are looked for, which needs writing as well.
    #[cold]
    #[inline(never)]
    pub fn look_up(&mut self, address: u64, write: bool, races: bool) -> Option<&Line> {
        let slot = self.find(address, 1).ok()?;
        let entry = self.entries[slot].as_mut()?;
        let shared = entry.object.is_shared();
        let found = match &mut entry.object {
            object if shared && !write && !races => Found::Shared(object),
            object => Found::Own(object),
        };
        if shared && matches!(found, Found::Own(_)) {
            // It is about to get bytes of its own.
            self.lines.forget_all();
        }
        self.lines.enter(address, entry.base, found, races);
        self.lines.get(address)
    }

    /// What is known about accesses to the eight bytes around `address`.
    pub fn race_cell(&mut self, address: u64) -> Option<(&mut Cell, &mut Lists)> {
        let (cells, lists) = self.race_cells(address, 1)?;
        Some((cells.first_mut()?, lists))
    }

    /// What is known about accesses to `size` bytes, and those around them.
    pub fn race_cells(&mut self, address: u64, size: u64) -> Option<(&mut [Cell], &mut Lists)> {
        let slot = self.find(address, size).ok()?;
        let entry = self.entries[slot].as_mut()?;
        if entry.object.is_shared() {
            self.lines.forget_all();
        }
        let cell = |address: u64| (address / CELL_BYTES - entry.base / CELL_BYTES) as usize;
        let (first, end) = (cell(address), cell(address + size - 1) + 1);
        Some((entry.object.cells(entry.base).get_mut(first..end)?, &mut self.lists))
    }

    /// What goes with the cells of lines.
    #[inline(always)]
    pub fn race_lists(&mut self) -> &mut Lists {
        &mut self.lists
    }

    /// The byte at `address`, and whether it is undefined.
    pub fn byte(&self, address: u64) -> Result<(u8, bool), Unmapped> {
        let entry = self.entry(address, 1)?;
        let offset = (address - entry.base) as usize;
        Ok((entry.object.bytes()[offset], entry.object.is_undefined(offset)))
    }

    /// Makes the first `size` bytes of the object at `to` what those of the object at `from` are. Both have as many.
    pub fn copy_object(&mut self, from: u64, to: u64, size: usize) {
        let (Some(from), Some(to)) = (self.object(from).cloned(), self.at(to)) else { return };
        self.lines.forget_all();
        if let Some(entry) = &mut self.entries[to as usize] {
            entry.object.copy_start(&from, size);
        }
    }
}

#[inline(always)]
fn prefetch(entry: &Option<Entry>) {
    // SAFETY: fetching into the cache has no effect on memory.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(entry).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = entry;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> Memory {
        let mut memory = Memory::default();
        memory.insert(0x2000, Object::undefined(ObjectKind::Heap, 70));
        memory.insert(0x1000, Object::defined(ObjectKind::Global, vec![1, 2, 3, 4, 5, 6, 7, 8]));
        memory
    }

    #[test]
    fn loads_are_little_endian() {
        let memory = memory();
        assert_eq!(memory.load(0x1000, 4), Ok((0x0403_0201, 0)));
        assert_eq!(memory.load(0x1006, 2), Ok((0x0807, 0)));
    }

    #[test]
    fn nothing_lies_past_the_end_or_between_objects() {
        let memory = memory();
        assert_eq!(memory.load(0x1006, 4), Err(Unmapped));
        assert_eq!(memory.load(0xfff, 1), Err(Unmapped));
        assert_eq!(memory.load(0x1800, 1), Err(Unmapped));
        assert!(memory.check(0x1008, 0).is_ok());
        assert!(memory.check(0x1009, 0).is_err());
    }

    #[test]
    fn objects_may_share_a_page() {
        let mut memory = memory();
        memory.insert(0x1010, Object::defined(ObjectKind::Global, vec![9]));
        memory.insert(0x1020, Object::defined(ObjectKind::Global, vec![7, 6]));
        assert_eq!(memory.load(0x1000, 1), Ok((1, 0)));
        assert_eq!(memory.load(0x1010, 1), Ok((9, 0)));
        assert_eq!(memory.load(0x1021, 1), Ok((6, 0)));
        assert!(memory.remove(0x1010));
        assert_eq!(memory.load(0x1010, 1), Err(Unmapped));
        assert_eq!(memory.load(0x1020, 1), Ok((7, 0)));
    }

    #[test]
    fn bytes_are_undefined_until_written() {
        let mut memory = memory();
        assert_eq!(memory.load(0x2040, 4), Ok((0, 0xf)));
        assert_eq!(memory.load(0x2042, 4), Ok((0, 0xf)));
        assert_eq!(memory.store(0x2041, 2, 0, 0), Ok(true));
        assert_eq!(memory.load(0x2040, 4), Ok((0, 0b1001)));
        assert_eq!(memory.store(0x2041, 1, 0, 1), Ok(true));
        assert_eq!(memory.load(0x2040, 4), Ok((0, 0b1011)));
    }

    #[test]
    fn a_copy_keeps_its_own_bytes() {
        let memory = memory();
        let mut copy = memory.clone();
        assert_eq!(copy.store(0x1000, 1, 9, 0), Ok(true));
        assert_eq!(copy.store(0x1000, 1, 9, 0), Ok(false));
        assert_eq!(memory.load(0x1000, 1), Ok((1, 0)));
        assert_eq!(copy.load(0x1000, 1), Ok((9, 0)));
    }
}
