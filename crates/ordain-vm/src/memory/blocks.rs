//! Blocks of memory at once, for the loops of `bulk`.

use super::{Entry, Memory};

impl Memory {
    /// The object that `address` is in, with its number and the offset there.
    fn place(&self, address: u64) -> Option<(usize, &Entry, usize)> {
        let slot = self.find(address, 1).ok()?;
        let entry = self.entries[slot].as_ref()?;
        Some((slot, entry, (address - entry.base) as usize))
    }

    /// How many of the `most` bytes from `address` on are there.
    pub fn bytes_from(&self, address: u64, most: u64) -> u64 {
        self.place(address).map_or(0, |(_, entry, _)| most.min(entry.end() - address))
    }

    /// How many of the `most` bytes from `address` on are there and defined.
    pub fn defined_from(&self, address: u64, most: u64) -> u64 {
        let Some((_, entry, at)) = self.place(address) else { return 0 };
        entry.object.defined_from(at, most.min(entry.end() - address) as usize) as u64
    }

    /// How many of the `most` bytes from `a` and `b` on are there, defined, and equal.
    pub fn equal_from(&self, a: u64, b: u64, most: u64) -> u64 {
        let most = self.defined_from(a, most);
        let most = self.defined_from(b, most) as usize;
        let (Some((_, a, from_a)), Some((_, b, from_b))) = (self.place(a), self.place(b)) else { return 0 };
        let (a, b) = (&a.object.bytes()[from_a..from_a + most], &b.object.bytes()[from_b..from_b + most]);
        a.iter().zip(b).take_while(|(a, b)| a == b).count() as u64
    }

    /// Copies `size` bytes that are there and defined to where there are as many, as if through a copy of them all.
    pub fn copy_block(&mut self, from: u64, to: u64, size: u64) {
        let (Some((source, _, from)), Some((target, _, to))) = (self.place(from), self.place(to)) else { return };
        self.before_write(target);
        let size = size as usize;
        if source == target {
            if let Some(entry) = &mut self.entries[source] {
                entry.object.bytes_mut().copy_within(from..from + size, to);
                entry.object.define(to, size);
            }
        } else if let Ok([Some(source), Some(target)]) = self.entries.get_disjoint_mut([source, target]) {
            target.object.bytes_mut()[to..to + size].copy_from_slice(&source.object.bytes()[from..from + size]);
            target.object.define(to, size);
        }
    }

    /// Fills `size` bytes that are there with repetitions of `pattern`, which is as long as a part of them.
    pub fn fill_block(&mut self, to: u64, size: u64, pattern: &[u8]) {
        let Some((target, _, to)) = self.place(to) else { return };
        self.before_write(target);
        if let Some(entry) = &mut self.entries[target] {
            let bytes = &mut entry.object.bytes_mut()[to..to + size as usize];
            bytes.chunks_exact_mut(pattern.len()).for_each(|chunk| chunk.copy_from_slice(pattern));
            entry.object.define(to, size as usize);
        }
    }

    fn before_write(&mut self, slot: usize) {
        if self.entries[slot].as_ref().is_some_and(|entry| entry.object.is_shared()) {
            self.lines.forget_all();
        }
    }
}
