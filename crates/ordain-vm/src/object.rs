//! One object of a run: its bytes, and which of them are undefined.

use crate::fingerprint::word;
use crate::shadow::{CELL_BYTES, Cell};

/// One bit per byte of a value: set where the byte is undefined.
pub(crate) type Undefined = u8;

pub(crate) const ALL_UNDEFINED: Undefined = 0xff;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ObjectKind {
    Global,
    Constant,
    Stack,
    Heap,
}

#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub kind: ObjectKind,
    pub bytes: Vec<u8>,
    /// One bit per byte, set where it is undefined, and one byte more than that takes; empty if none ever was.
    undefined: Vec<u8>,
    /// For races; empty until somebody looks for them here.
    cells: Vec<Cell>,
}

impl Object {
    pub fn defined(kind: ObjectKind, bytes: Vec<u8>) -> Self {
        Object { kind, bytes, undefined: Vec::new(), cells: Vec::new() }
    }

    pub fn undefined(kind: ObjectKind, size: usize) -> Self {
        let mut object = Object { kind, bytes: vec![0; size], undefined: Vec::new(), cells: Vec::new() };
        object.forget_all();
        object
    }

    /// Makes every byte a zero that is undefined, as in a fresh object.
    pub fn forget_all(&mut self) {
        let size = self.bytes.len();
        self.bytes.fill(0);
        self.undefined.clear();
        self.undefined.resize(size / 8, 0xff);
        self.undefined.push(((1u16 << (size % 8)) - 1) as u8);
        self.undefined.push(0);
        self.cells.clear();
    }

    pub fn is_undefined(&self, at: usize) -> bool {
        !self.undefined.is_empty() && self.undefined[at / 8] >> (at % 8) & 1 == 1
    }

    pub fn encode_undefined(&self, out: &mut Vec<u8>) {
        let any = self.undefined.iter().any(|bits| *bits != 0);
        word(out, if any { self.undefined.len() as u64 } else { 0 });
        if any {
            out.extend(&self.undefined);
        }
    }

    /// Which of the `size` (at most 8) bytes from `at` on are undefined.
    #[inline]
    pub fn undefined_in(&self, at: usize, size: usize) -> Undefined {
        if self.undefined.is_empty() {
            return 0;
        }
        let both = u16::from_le_bytes([self.undefined[at / 8], self.undefined[at / 8 + 1]]);
        (both >> (at % 8)) as u8 & low_bits(size)
    }

    /// Says which of the `size` (at most 8) bytes from `at` on are undefined from now on.
    #[inline]
    pub fn set_undefined(&mut self, at: usize, size: usize, bits: Undefined) {
        if self.undefined.is_empty() {
            if bits & low_bits(size) == 0 {
                return;
            }
            self.undefined = vec![0; self.bytes.len() / 8 + 2];
        }
        let both = u16::from_le_bytes([self.undefined[at / 8], self.undefined[at / 8 + 1]]);
        let place = (low_bits(size) as u16) << (at % 8);
        let [low, high] = (both & !place | (bits as u16) << (at % 8) & place).to_le_bytes();
        (self.undefined[at / 8], self.undefined[at / 8 + 1]) = (low, high);
    }

    /// The cells of an object that starts at `base`, the first of them with its first byte.
    pub fn cells(&mut self, base: u64) -> &mut [Cell] {
        if self.cells.is_empty() {
            let (first, end) = (base / CELL_BYTES, (base + self.bytes.len() as u64).div_ceil(CELL_BYTES));
            self.cells = vec![Cell::UNTOUCHED; (end - first) as usize];
        }
        &mut self.cells
    }

    /// Whether some byte is, or once was, undefined.
    pub fn ever_undefined(&self) -> bool {
        !self.undefined.is_empty()
    }

    /// Where the bits are that say which bytes are undefined; null while there are none.
    pub fn undefined_bits(&mut self) -> *mut u8 {
        if self.undefined.is_empty() { std::ptr::null_mut() } else { self.undefined.as_mut_ptr() }
    }
}

#[inline]
pub(crate) fn low_bits(count: usize) -> u8 {
    ((1u16 << count) - 1) as u8
}
