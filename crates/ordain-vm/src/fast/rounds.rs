//! Many rounds of a loop at once, for loops that copy, fill or compare memory (see `bulk`).

use super::{Runner, Top};
use crate::bulk::{Bulk, Place, Work};
use crate::decode::Slot;
use crate::shadow::{AccessKind, CELL_BYTES, Stamp, bytes_in_cell};

/// Fewer are not worth the trouble.
const FEWEST: u64 = 4;

/// The same access to many bytes.
struct Block {
    start: u64,
    stamp: Stamp,
}

impl Block {
    /// The cells that `size` bytes have parts in: the stamp for each, and the number of bytes before it.
    fn cells(&self, size: u64) -> impl Iterator<Item = (Stamp, u64)> + use<> {
        let &Block { start, stamp } = self;
        let end = start + size;
        let first = start / CELL_BYTES * CELL_BYTES;
        (first..end).step_by(CELL_BYTES as usize).map(move |cell| {
            let (from, to) = (cell.max(start), (cell + CELL_BYTES).min(end));
            let bytes = bytes_in_cell(from, to - from).unwrap_or(u8::MAX);
            (Stamp { bytes, ..stamp }, from - start)
        })
    }
}

impl Runner<'_, '_> {
    /// At the end of a round: does as many of the next ones as nothing can go wrong in, except the last, and only those that
    /// the `left` points are enough for. Returns how many.
    pub(super) fn rounds<const RACY: bool>(&mut self, top: &Top<'_>, bulk: &Bulk<Slot>, left: u32) -> u32 {
        // SAFETY: slots are below the length of the decoded frame, which `registers` points to the start of.
        let slot = |slot: Slot| unsafe { *top.registers.add(slot as usize) };
        let index = slot(bulk.index);
        let rounds = bulk.rounds(index, slot(bulk.limit)).saturating_sub(1).min((left / bulk.points()) as u64);
        if rounds < FEWEST {
            return 0;
        }
        let start = |place: Place<Slot>| slot(place.base).wrapping_add(index);
        let whole = |bytes: u64| bytes - bytes % bulk.step;
        let (most, memory) = (rounds * bulk.step, &self.world.memory);
        let size = match bulk.work {
            Work::Copy { from, to } => {
                let (source, target) = (start(from), start(to));
                let size = memory.bytes_from(target, memory.defined_from(source, most));
                // What one round writes must not be what another one reads.
                let ahead = target.wrapping_sub(source);
                whole(if ahead == 0 { size } else { size.min(ahead) })
            }
            Work::Fill { to, .. } => whole(memory.bytes_from(start(to), most)),
            Work::Compare(a, b) => whole(memory.equal_from(start(a), start(b), most)),
        };
        let size = if RACY { whole(self.touch_blocks(top, bulk, start, size)) } else { size };
        match bulk.work {
            _ if size == 0 => return 0,
            Work::Copy { from, to } => self.world.memory.copy_block(start(from), start(to), size),
            Work::Fill { to, value } => {
                let pattern = slot(value).to_le_bytes();
                self.world.memory.fill_block(start(to), size, &pattern[..bulk.step as usize]);
            }
            Work::Compare(..) => {}
        }
        let rounds = size / bulk.step;
        if !matches!(bulk.work, Work::Compare(..)) {
            self.stores += rounds;
            self.thread.arrivals.forget();
        }
        // SAFETY: as above.
        unsafe { *top.registers.add(bulk.index as usize) = index + size };
        rounds as u32
    }

    /// Looks for races of the accesses to `size` bytes. Returns how many bytes have none, and enters the accesses to those.
    fn touch_blocks(&mut self, top: &Top<'_>, bulk: &Bulk<Slot>, start: impl Fn(Place<Slot>) -> u64, size: u64) -> u64 {
        let (first, second) = match bulk.work {
            Work::Copy { from, to } => ((AccessKind::Read, from), Some((AccessKind::Write, to))),
            Work::Fill { to, .. } => ((AccessKind::Write, to), None),
            Work::Compare(a, b) => ((AccessKind::Read, a), Some((AccessKind::Read, b))),
        };
        let mut block = |(kind, place): (AccessKind, Place<Slot>)| {
            let stamp = self.stamp(kind, u8::MAX, top, place.at.index());
            Block { start: start(place), stamp }
        };
        let blocks = [Some(block(first)), second.map(block)];
        let accepted = blocks.iter().flatten().fold(size, |size, block| self.accepted(block, size));
        let size = accepted - accepted % bulk.step;
        blocks.iter().flatten().for_each(|block| self.enter(block, size));
        size
    }

    fn accepted(&mut self, block: &Block, size: u64) -> u64 {
        if size == 0 {
            return 0;
        }
        let Some((cells, lists)) = self.world.memory.race_cells(block.start, size) else { return 0 };
        let mut touched = cells.iter().zip(block.cells(size));
        let refused = touched.find(|(cell, (stamp, _))| !cell.accepts(stamp, &self.thread.clock, lists));
        refused.map_or(size, |(_, (_, before))| before)
    }

    fn enter(&mut self, block: &Block, size: u64) {
        if size == 0 {
            return;
        }
        let Some((cells, lists)) = self.world.memory.race_cells(block.start, size) else { return };
        for (cell, (stamp, _)) in cells.iter_mut().zip(block.cells(size)) {
            cell.enter(stamp, &self.thread.clock, lists);
        }
    }
}
