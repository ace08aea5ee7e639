//! One object of a run: its bytes, which of them are undefined, and who accessed them.
//!
//! Programs make many small objects and go from one to the next, so what there is to know about a small one is in one
//! cache line. Large ones are shared between copies of a machine until one of them writes; small ones are copied.

use crate::fingerprint::word;
use crate::shadow::{CELL_BYTES, Cell};
use std::rc::Rc;

/// One bit per byte of a value: set where the byte is undefined.
pub(crate) type Undefined = u8;

pub(crate) const ALL_UNDEFINED: Undefined = 0xff;

/// Objects of at most so many bytes are small.
const SMALL_BYTES: usize = 32;
/// Cells that a small object can have bytes of, wherever it starts.
const SMALL_CELLS: usize = SMALL_BYTES / CELL_BYTES as usize + 1;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ObjectKind {
    Global,
    Constant,
    Stack,
    Heap,
}

#[derive(Clone, Debug)]
pub(crate) struct Object {
    /// What a large object is; the next four are those of a small one.
    large: Option<Rc<Large>>,
    bytes: [u8; SMALL_BYTES],
    undefined: [u8; bits_for(SMALL_BYTES)],
    size: u8,
    cells: Option<Box<[Cell; SMALL_CELLS]>>,
    pub kind: ObjectKind,
}

#[derive(Clone, Debug)]
struct Large {
    bytes: Vec<u8>,
    /// One bit per byte, set where it is undefined; empty if none ever was.
    undefined: Vec<u8>,
    /// For races; empty until somebody looks for them here.
    cells: Vec<Cell>,
}

/// How many bytes the bits take that say which of `size` bytes are undefined. It is one more than they need, so that the bits
/// of any value can be read as two bytes.
const fn bits_for(size: usize) -> usize {
    size / 8 + 2
}

impl Object {
    pub fn defined(kind: ObjectKind, bytes: Vec<u8>) -> Self {
        if bytes.len() > SMALL_BYTES {
            return Self::of_large(kind, Large { bytes, undefined: Vec::new(), cells: Vec::new() });
        }
        let mut object = Self::small(kind, bytes.len());
        object.bytes[..bytes.len()].copy_from_slice(&bytes);
        object
    }

    pub fn zeroed(kind: ObjectKind, size: usize) -> Self {
        if size <= SMALL_BYTES { Self::small(kind, size) } else { Self::defined(kind, vec![0; size]) }
    }

    pub fn undefined(kind: ObjectKind, size: usize) -> Self {
        if size > SMALL_BYTES {
            let mut undefined = vec![0xff; bits_for(size)];
            end_bits(&mut undefined, size);
            return Self::of_large(kind, Large { bytes: vec![0; size], undefined, cells: Vec::new() });
        }
        let mut object = Self::small(kind, size);
        object.undefined = [0xff; bits_for(SMALL_BYTES)];
        end_bits(&mut object.undefined, size);
        object
    }

    fn small(kind: ObjectKind, size: usize) -> Self {
        let undefined = [0; bits_for(SMALL_BYTES)];
        Object { large: None, bytes: [0; SMALL_BYTES], undefined, size: size as u8, cells: None, kind }
    }

    fn of_large(kind: ObjectKind, large: Large) -> Self {
        Object { large: Some(Rc::new(large)), ..Self::small(kind, 0) }
    }

    pub fn size(&self) -> usize {
        self.large.as_ref().map_or(self.size as usize, |large| large.bytes.len())
    }

    pub fn bytes(&self) -> &[u8] {
        match &self.large {
            Some(large) => &large.bytes,
            None => &self.bytes[..self.size as usize],
        }
    }

    /// Whether a copy of the machine has the same bytes, so that writing would move them.
    pub fn is_shared(&self) -> bool {
        self.large.as_ref().is_some_and(|large| Rc::strong_count(large) > 1)
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        match &mut self.large {
            Some(large) => &mut Rc::make_mut(large).bytes,
            None => &mut self.bytes[..self.size as usize],
        }
    }

    /// The bits that say which bytes are undefined; empty if none ever was.
    fn undefined_bits(&self) -> &[u8] {
        match &self.large {
            Some(large) => &large.undefined,
            None => &self.undefined,
        }
    }

    /// Likewise, to be changed.
    pub fn undefined_bits_mut(&mut self) -> &mut [u8] {
        match &mut self.large {
            Some(large) => &mut Rc::make_mut(large).undefined,
            None => &mut self.undefined,
        }
    }

    /// Whether there are bits that say which bytes are undefined.
    pub fn has_undefined_bits(&self) -> bool {
        !self.undefined_bits().is_empty()
    }

    pub fn is_undefined(&self, at: usize) -> bool {
        self.undefined_bits().get(at / 8).is_some_and(|bits| bits >> (at % 8) & 1 == 1)
    }

    pub fn encode_undefined(&self, out: &mut Vec<u8>) {
        let undefined = self.undefined_bits();
        let any = undefined.iter().any(|bits| *bits != 0);
        word(out, if any { undefined.len() as u64 } else { 0 });
        if any {
            out.extend(undefined);
        }
    }

    /// Which of the `size` (at most 8) bytes from `at` on are undefined.
    #[inline]
    pub fn undefined_in(&self, at: usize, size: usize) -> Undefined {
        let undefined = self.undefined_bits();
        if undefined.is_empty() {
            return 0;
        }
        let both = u16::from_le_bytes([undefined[at / 8], undefined[at / 8 + 1]]);
        (both >> (at % 8)) as u8 & low_bits(size)
    }

    /// Says which of the `size` (at most 8) bytes from `at` on are undefined from now on.
    #[inline]
    pub fn set_undefined(&mut self, at: usize, size: usize, bits: Undefined) {
        if !self.has_undefined_bits() {
            if bits & low_bits(size) == 0 {
                return;
            }
            self.make_undefined_bits();
        }
        let undefined = self.undefined_bits_mut();
        let both = u16::from_le_bytes([undefined[at / 8], undefined[at / 8 + 1]]);
        let place = (low_bits(size) as u16) << (at % 8);
        let [low, high] = (both & !place | (bits as u16) << (at % 8) & place).to_le_bytes();
        (undefined[at / 8], undefined[at / 8 + 1]) = (low, high);
    }

    /// How many of the `most` bytes from `at` on come before one that is undefined.
    pub fn defined_from(&self, at: usize, most: usize) -> usize {
        if !self.has_undefined_bits() {
            return most;
        }
        let mut count = 0;
        while count < most {
            let size = (most - count).min(8);
            match self.undefined_in(at + count, size) {
                0 => count += size,
                bits => return count + bits.trailing_zeros() as usize,
            }
        }
        most
    }

    /// The `size` bytes from `at` on are defined from now on.
    pub fn define(&mut self, at: usize, size: usize) {
        if self.has_undefined_bits() {
            for start in (0..size).step_by(8) {
                self.set_undefined(at + start, (size - start).min(8), 0);
            }
        }
    }

    fn make_undefined_bits(&mut self) {
        if let Some(large) = &mut self.large {
            let large = Rc::make_mut(large);
            large.undefined = vec![0; bits_for(large.bytes.len())];
        }
    }

    /// Makes its first `size` bytes those of `from`, which has as many.
    pub fn copy_start(&mut self, from: &Object, size: usize) {
        self.bytes_mut()[..size].copy_from_slice(&from.bytes()[..size]);
        for at in (0..size).step_by(8) {
            let count = (size - at).min(8);
            self.set_undefined(at, count, from.undefined_in(at, count));
        }
    }

    /// Its cells, if there are any.
    pub fn known_cells(&self) -> &[Cell] {
        match (&self.large, &self.cells) {
            (Some(large), _) => &large.cells,
            (None, Some(cells)) => &cells[..],
            (None, None) => &[],
        }
    }

    /// The cells of an object that starts at `base`, the first of them with its first byte.
    pub fn cells(&mut self, base: u64) -> &mut [Cell] {
        let Some(large) = &mut self.large else {
            return &mut self.cells.get_or_insert_with(|| Box::new([Cell::UNTOUCHED; SMALL_CELLS]))[..];
        };
        let large = Rc::make_mut(large);
        if large.cells.is_empty() {
            let (first, end) = (base / CELL_BYTES, (base + large.bytes.len() as u64).div_ceil(CELL_BYTES));
            large.cells = vec![Cell::UNTOUCHED; (end - first) as usize];
        }
        &mut large.cells
    }
}

/// Clears the bits that no byte belongs to.
fn end_bits(undefined: &mut [u8], size: usize) {
    undefined[size / 8] = low_bits(size % 8);
    undefined[size / 8 + 1..].fill(0);
}

#[inline]
pub(crate) fn low_bits(count: usize) -> u8 {
    ((1u16 << count) - 1) as u8
}
