//! The bytes of a run: live objects, each shared between copies of a machine until one of them writes to it.
//!
//! A byte is defined once something was written to it. Objects that died are forgotten here; the address book still
//! knows them, which is how an access to one is told from a wild one.

use crate::fingerprint::word;
use std::rc::Rc;

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
    /// Which bytes are undefined, one bit each; empty once all of them are defined.
    undefined: Vec<u64>,
    undefined_count: usize,
}

impl Object {
    pub fn defined(kind: ObjectKind, bytes: Vec<u8>) -> Self {
        Object { kind, bytes, undefined: Vec::new(), undefined_count: 0 }
    }

    pub fn undefined(kind: ObjectKind, size: usize) -> Self {
        let mut undefined = vec![u64::MAX; size.div_ceil(64)];
        if let Some(last) = undefined.last_mut()
            && !size.is_multiple_of(64)
        {
            *last = (1 << (size % 64)) - 1;
        }
        Object { kind, bytes: vec![0; size], undefined, undefined_count: size }
    }

    pub fn is_undefined(&self, at: usize) -> bool {
        self.undefined_count > 0 && self.undefined[at / 64] >> (at % 64) & 1 == 1
    }

    pub fn encode_undefined(&self, out: &mut Vec<u8>) {
        word(out, self.undefined.len() as u64);
        self.undefined.iter().for_each(|bits| word(out, *bits));
    }

    fn undefined_in(&self, at: usize, size: usize) -> Undefined {
        if self.undefined_count == 0 {
            return 0;
        }
        (0..size).fold(0, |mask, i| mask | (self.is_undefined(at + i) as u8) << i)
    }

    fn set_undefined(&mut self, at: usize, undefined: bool) {
        if self.is_undefined(at) == undefined {
            return;
        }
        if self.undefined.is_empty() {
            self.undefined = vec![0; self.bytes.len().div_ceil(64)];
        }
        self.undefined[at / 64] ^= 1 << (at % 64);
        if undefined {
            self.undefined_count += 1;
        } else {
            self.undefined_count -= 1;
            if self.undefined_count == 0 {
                self.undefined = Vec::new();
            }
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub base: u64,
    /// One past the last byte.
    pub end: u64,
    pub object: Rc<Object>,
}

/// No live object holds all the bytes of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Unmapped;

#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    /// In order of address.
    entries: Vec<Entry>,
    /// Where accesses were found lately, by some bits of their address: the next ones are likely to be there too.
    recent: [usize; RECENT],
}

/// A power of two.
const RECENT: usize = 8;

impl Memory {
    pub fn insert(&mut self, base: u64, object: Object) {
        let end = base + object.bytes.len() as u64;
        let at = self.entries.partition_point(|e| e.base < base);
        self.entries.insert(at, Entry { base, end, object: Rc::new(object) });
    }

    pub fn remove(&mut self, base: u64) -> Option<Rc<Object>> {
        let at = self.entries.binary_search_by_key(&base, |e| e.base).ok()?;
        Some(self.entries.remove(at).object)
    }

    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The live object that starts at `base`.
    pub fn object(&self, base: u64) -> Option<&Object> {
        let at = self.entries.binary_search_by_key(&base, |e| e.base).ok()?;
        Some(&self.entries[at].object)
    }

    #[inline]
    fn find(&mut self, address: u64, size: u64) -> Result<usize, Unmapped> {
        let slot = (address >> 6) as usize % RECENT;
        if let Some(entry) = self.entries.get(self.recent[slot])
            && address >= entry.base
            && address < entry.end
            && entry.end - address >= size
        {
            return Ok(self.recent[slot]);
        }
        self.recent[slot] = self.locate(address, size)?;
        Ok(self.recent[slot])
    }

    fn locate(&self, address: u64, size: u64) -> Result<usize, Unmapped> {
        let after = self.entries.partition_point(|e| e.base <= address);
        let at = after.checked_sub(1).ok_or(Unmapped)?;
        let end = self.entries[at].end;
        if address <= end && end - address >= size { Ok(at) } else { Err(Unmapped) }
    }

    /// Whether `size` bytes at `address` lie in one live object; quick if an access to them follows or went before.
    #[inline]
    pub fn probe(&mut self, address: u64, size: u64) -> Result<(), Unmapped> {
        self.find(address, size).map(drop)
    }

    /// The live object that `size` bytes at `address` lie in.
    pub fn check(&self, address: u64, size: u64) -> Result<&Entry, Unmapped> {
        Ok(&self.entries[self.locate(address, size)?])
    }

    #[inline]
    pub fn load(&mut self, address: u64, size: u8) -> Result<(u64, Undefined), Unmapped> {
        let at = self.find(address, size as u64)?;
        let entry = &self.entries[at];
        let offset = (address - entry.base) as usize;
        let bytes = &entry.object.bytes[offset..offset + size as usize];
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
        let entry = &mut self.entries[at];
        let offset = (address - entry.base) as usize;
        let object = Rc::make_mut(&mut entry.object);
        let new = &value.to_le_bytes()[..size as usize];
        let old = &mut object.bytes[offset..offset + size as usize];
        let mut changed = old != new;
        old.copy_from_slice(new);
        if object.undefined_count > 0 || undefined != 0 {
            for i in 0..size as usize {
                let is = undefined >> i & 1 == 1;
                changed |= object.is_undefined(offset + i) != is;
                object.set_undefined(offset + i, is);
            }
        }
        Ok(changed)
    }

    /// The byte at `address`, and whether it is undefined.
    pub fn byte(&self, address: u64) -> Result<(u8, bool), Unmapped> {
        let entry = &self.entries[self.locate(address, 1)?];
        let offset = (address - entry.base) as usize;
        Ok((entry.object.bytes[offset], entry.object.is_undefined(offset)))
    }

    /// Makes the first `size` bytes of the object at `to` what those of the object at `from` are.
    pub fn copy_object(&mut self, from: u64, to: u64, size: usize) {
        for i in 0..size as u64 {
            if let Ok((byte, undefined)) = self.byte(from + i) {
                let written = self.store(to + i, 1, byte as u64, undefined as u8);
                debug_assert!(written.is_ok(), "the new object is large enough");
            }
        }
    }
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
        let mut memory = memory();
        assert_eq!(memory.load(0x1000, 4), Ok((0x0403_0201, 0)));
        assert_eq!(memory.load(0x1006, 2), Ok((0x0807, 0)));
    }

    #[test]
    fn nothing_lies_past_the_end_or_between_objects() {
        let mut memory = memory();
        assert_eq!(memory.load(0x1006, 4), Err(Unmapped));
        assert_eq!(memory.load(0xfff, 1), Err(Unmapped));
        assert_eq!(memory.load(0x1800, 1), Err(Unmapped));
    }

    #[test]
    fn bytes_are_undefined_until_written() {
        let mut memory = memory();
        assert_eq!(memory.load(0x2040, 4), Ok((0, 0xf)));
        assert_eq!(memory.store(0x2041, 2, 0, 0), Ok(true));
        assert_eq!(memory.load(0x2040, 4), Ok((0, 0b1001)));
        assert_eq!(memory.store(0x2041, 1, 0, 1), Ok(true));
        assert_eq!(memory.load(0x2040, 4), Ok((0, 0b1011)));
    }

    #[test]
    fn a_copy_keeps_its_own_bytes() {
        let mut memory = memory();
        let mut copy = memory.clone();
        assert_eq!(copy.store(0x1000, 1, 9, 0), Ok(true));
        assert_eq!(copy.store(0x1000, 1, 9, 0), Ok(false));
        assert_eq!(memory.load(0x1000, 1), Ok((1, 0)));
        assert_eq!(copy.load(0x1000, 1), Ok((9, 0)));
    }
}
