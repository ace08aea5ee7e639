//! Where accesses were found lately: a small direct-mapped table from pages to the bytes of objects.
//!
//! The interpreter's hot loop goes through it with raw pointers, so what makes a pointer stale has to be kept in mind:
//! an object that dies (its lines are cleared), bytes that are copied because a copy of the machine shares them, the bits of
//! undefined bytes coming into being, and the table of objects getting larger, which small ones are part of (all three start
//! a new generation, which no line belongs to), and making a copy of the machine (likewise, in the original; the copy
//! starts without lines).

use crate::clock::Clock;
use crate::object::{Object, low_bits};
use crate::pages::PAGE_BITS;
use crate::shadow::{CELL_BYTES, Cell as RaceCell, Lists, Stamp};
use std::cell::Cell;

const LINES: usize = 1 << 8;

#[derive(Clone, Copy)]
pub(crate) struct Line {
    page: u64,
    generation: u64,
    base: u64,
    /// How many bytes may be read here, and how many written: none if a copy of the machine shares them.
    readable: u64,
    writable: u64,
    bytes: *mut u8,
    undefined: *mut u8,
    /// What races are looked for with; null if they are not.
    cells: *mut RaceCell,
}

const NO_LINE: Line = Line {
    page: u64::MAX,
    generation: u64::MAX,
    base: 0,
    readable: 0,
    writable: 0,
    bytes: std::ptr::null_mut(),
    undefined: std::ptr::null_mut(),
    cells: std::ptr::null_mut(),
};

#[derive(Default)]
pub(crate) struct Lines {
    lines: Vec<Line>,
    generation: Cell<u64>,
}

impl std::fmt::Debug for Lines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lines").finish_non_exhaustive()
    }
}

impl Clone for Lines {
    fn clone(&self) -> Self {
        self.forget_all();
        Lines::default()
    }
}

impl Lines {
    pub fn forget_all(&self) {
        self.generation.set(self.generation.get() + 1);
    }

    /// The line of `address`, if it is known. There is no telling yet whether the address is inside of its object.
    #[inline(always)]
    pub fn get(&self, address: u64) -> Option<&Line> {
        let page = address >> PAGE_BITS;
        let current = |line: &&Line| line.page == page && line.generation == self.generation.get();
        self.lines.get(page as usize % LINES).filter(current)
    }

    /// Clears the lines of an object that dies.
    pub fn forget(&mut self, base: u64, size: u64) {
        let (first, last) = (base >> PAGE_BITS, (base + size) >> PAGE_BITS);
        if last - first >= LINES as u64 / 4 {
            return self.forget_all();
        }
        for page in first..=last {
            if let Some(line) = self.lines.get_mut(page as usize % LINES)
                && line.base == base
            {
                *line = NO_LINE;
            }
        }
    }

    /// `races` says whether they are looked for.
    pub fn enter(&mut self, address: u64, base: u64, object: Found<'_>, races: bool) {
        if self.lines.is_empty() {
            self.lines = vec![NO_LINE; LINES];
        }
        let (page, generation) = (address >> PAGE_BITS, self.generation.get());
        let line = &mut self.lines[page as usize % LINES];
        *line = match object {
            Found::Shared(object) => {
                let readable = if object.has_undefined_bits() { 0 } else { object.size() as u64 };
                Line { page, generation, base, readable, bytes: object.bytes().as_ptr().cast_mut(), ..NO_LINE }
            }
            Found::Own(object) => Line {
                page,
                generation,
                base,
                readable: object.size() as u64,
                writable: object.size() as u64,
                undefined: match object.undefined_bits_mut() {
                    [] => std::ptr::null_mut(),
                    bits => bits.as_mut_ptr(),
                },
                cells: if races { object.cells(base).as_mut_ptr() } else { std::ptr::null_mut() },
                bytes: object.bytes_mut().as_mut_ptr(),
            },
        };
    }
}

pub(crate) enum Found<'a> {
    /// A copy of the machine has the same object.
    Shared(&'a Object),
    Own(&'a mut Object),
}

impl Line {
    /// What `SIZE` bytes at `address` are, if they are inside and all defined.
    #[inline(always)]
    pub fn load<const SIZE: usize>(&self, address: u64) -> Option<u64> {
        let offset = address.wrapping_sub(self.base);
        if offset >= self.readable || self.readable - offset < SIZE as u64 {
            return None;
        }
        // SAFETY: the line is of the current generation, so `bytes` points to an object of `readable` bytes, which
        // nobody else is writing to; its bits reach one byte further than they need to.
        unsafe {
            if !self.undefined.is_null() {
                let bits = self.undefined.add(offset as usize / 8).cast::<u16>().read_unaligned();
                if (bits >> (offset % 8)) as u8 & low_bits(SIZE) != 0 {
                    return None;
                }
            }
            let from = self.bytes.add(offset as usize);
            Some(match SIZE {
                1 => from.read() as u64,
                2 => from.cast::<u16>().read_unaligned() as u64,
                4 => from.cast::<u32>().read_unaligned() as u64,
                _ => from.cast::<u64>().read_unaligned(),
            })
        }
    }

    /// Whether races are looked for with it.
    #[inline(always)]
    pub fn has_cells(&self) -> bool {
        !self.cells.is_null()
    }

    /// Enters an access into the race cell of `address`, which must be inside. Returns false, and changes nothing, if there
    /// is more to it.
    #[inline(always)]
    pub fn touch(&self, address: u64, stamp: Stamp, clock: &Clock, lists: &mut Lists) -> bool {
        assert!(self.has_cells() && self.may_store(address, 1));
        let at = address / CELL_BYTES - self.base / CELL_BYTES;
        // SAFETY: as for stores; there is a cell for every byte of the object.
        let cell = unsafe { &mut *self.cells.add(at as usize) };
        cell.enter(stamp, clock, lists)
    }

    /// Whether `size` bytes at `address` may be written here.
    #[inline(always)]
    pub fn may_store(&self, address: u64, size: u64) -> bool {
        let offset = address.wrapping_sub(self.base);
        offset < self.writable && self.writable - offset >= size
    }

    /// Writes the low `SIZE` bytes of `value`, which are all defined; the caller has asked whether it may.
    #[inline(always)]
    pub fn store<const SIZE: usize>(&self, address: u64, value: u64) {
        let offset = (address - self.base) as usize;
        assert!(self.may_store(address, SIZE as u64));
        // SAFETY: as for loads; bytes that may be written belong to this machine alone.
        unsafe {
            if !self.undefined.is_null() {
                let bits = self.undefined.add(offset / 8).cast::<u16>();
                bits.write_unaligned(bits.read_unaligned() & !((low_bits(SIZE) as u16) << (offset % 8)));
            }
            let to = self.bytes.add(offset);
            match SIZE {
                1 => to.write(value as u8),
                2 => to.cast::<u16>().write_unaligned(value as u16),
                4 => to.cast::<u32>().write_unaligned(value as u32),
                _ => to.cast::<u64>().write_unaligned(value),
            }
        }
    }
}
