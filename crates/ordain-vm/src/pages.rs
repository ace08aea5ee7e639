//! Which object an address lies in: a table of pages, in two levels, shared between copies until one of them changes it.
//!
//! The address book keeps objects at least a page apart, so a page has bytes of one object at most. Programs made by hand
//! may do otherwise; pages with several objects are marked, and their objects are kept in a list besides.

use std::rc::Rc;

pub(crate) const PAGE_BITS: u32 = 12;
const CHUNK_BITS: u32 = 7;
const CHUNK_PAGES: usize = 1 << CHUNK_BITS;
/// Where globals, and then stack and heap objects, start: each gets a directory of its own, so that they are short.
const REGIONS: [u64; 3] = [0, 1 << 35, HEAP];
const HEAP: u64 = 1 << 36;

/// Number of an object in its `Memory`.
pub(crate) type Slot = u32;

const NOBODY: Slot = Slot::MAX;
const SEVERAL: Slot = Slot::MAX - 1;

#[derive(Clone, Debug)]
struct Chunk {
    slots: [Slot; CHUNK_PAGES],
    used: u32,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Pages {
    directories: [Vec<Option<Rc<Chunk>>>; REGIONS.len()],
    /// Objects on pages that they share with others: base and number, in order.
    crowded: Vec<(u64, Slot)>,
}

/// Directory, chunk, and page in the chunk.
fn place(page: u64) -> (usize, usize, usize) {
    let region = REGIONS.iter().rposition(|start| page >= start >> PAGE_BITS).unwrap_or(0);
    let from_start = page - (REGIONS[region] >> PAGE_BITS);
    (region, (from_start >> CHUNK_BITS) as usize, (from_start as usize) & (CHUNK_PAGES - 1))
}

fn pages_of(base: u64, size: u64) -> std::ops::RangeInclusive<u64> {
    base >> PAGE_BITS..=(base + size.max(1) - 1) >> PAGE_BITS
}

impl Pages {
    /// Whether stack and heap objects may have this address.
    #[inline(always)]
    pub fn is_heap(&self, address: u64) -> bool {
        let chunk = (address.wrapping_sub(HEAP) >> (PAGE_BITS + CHUNK_BITS)) as usize;
        chunk < self.directories[REGIONS.len() - 1].len()
    }

    /// The object whose bytes `address` is likely to be among: if any object has it, then this one.
    pub fn find(&self, address: u64) -> Option<Slot> {
        let (region, chunk, page) = place(address >> PAGE_BITS);
        match self.directories[region].get(chunk)?.as_ref()?.slots[page] {
            NOBODY => None,
            SEVERAL => {
                let after = self.crowded.partition_point(|(base, _)| *base <= address);
                after.checked_sub(1).map(|at| self.crowded[at].1)
            }
            slot => Some(slot),
        }
    }

    /// Enters an object. `of` tells the bases of those already there.
    pub fn insert(&mut self, base: u64, size: u64, slot: Slot, of: impl Fn(Slot) -> u64) {
        for page in pages_of(base, size) {
            let here = self.page(page);
            let before = std::mem::replace(here, slot);
            if before != NOBODY {
                *here = SEVERAL;
                let other = (before != SEVERAL).then(|| (of(before), before));
                self.crowd(other.into_iter().chain([(base, slot)]));
            }
        }
    }

    fn crowd(&mut self, objects: impl Iterator<Item = (u64, Slot)>) {
        for object in objects {
            if let Err(at) = self.crowded.binary_search(&object) {
                self.crowded.insert(at, object);
            }
        }
    }

    fn page(&mut self, page: u64) -> &mut Slot {
        let (region, chunk, page) = place(page);
        let directory = &mut self.directories[region];
        if directory.len() <= chunk {
            directory.resize(chunk + 1, None);
        }
        let empty = || Rc::new(Chunk { slots: [NOBODY; CHUNK_PAGES], used: 0 });
        let chunk = Rc::make_mut(directory[chunk].get_or_insert_with(empty));
        chunk.used += u32::from(chunk.slots[page] == NOBODY);
        &mut chunk.slots[page]
    }

    /// Forgets an object. Chunks without objects go: addresses are not used again, and a run may use up many.
    pub fn remove(&mut self, base: u64, size: u64, slot: Slot) {
        for page in pages_of(base, size) {
            let (region, chunk, page) = place(page);
            let Some(entry) = self.directories[region].get_mut(chunk) else { continue };
            let Some(shared) = entry.as_mut() else { continue };
            if shared.slots[page] == slot {
                let chunk = Rc::make_mut(shared);
                chunk.slots[page] = NOBODY;
                chunk.used -= 1;
                if chunk.used == 0 {
                    *entry = None;
                }
            }
        }
        if !self.crowded.is_empty() {
            self.crowded.retain(|object| *object != (base, slot));
        }
    }
}
