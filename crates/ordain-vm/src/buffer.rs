//! Store buffers: the stores of one thread that have been executed but have not reached memory.
//!
//! Under TSO they reach it in order; under PSO a store may overtake earlier ones to other addresses, unless it is a
//! release or a fence came between. The thread itself sees them at once.

use crate::clock::Clock;
use crate::memory::Undefined;
use ordain_ir::program::{FuncId, Pc};
use ordain_model::witness::MemoryModel;
use std::rc::Rc;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    pub function: FuncId,
    pub pc: Pc,
    pub user: (FuncId, Pc),
}

#[derive(Clone, Debug)]
pub(crate) struct BufferedStore {
    /// The instruction, and where in the user's code it counts as being.
    pub origin: Origin,
    pub address: u64,
    pub size: u8,
    pub value: u64,
    pub undefined: Undefined,
    /// An atomic store: what an acquiring load that reads it synchronises with. `None` for plain stores.
    pub publishes: Option<Rc<Clock>>,
    /// A release: everything earlier reaches memory before it.
    pub after_all: bool,
    /// How many fences that order stores came before it.
    pub fences: u32,
}

impl BufferedStore {
    fn overlaps(&self, address: u64, size: u8) -> bool {
        self.address < address + size as u64 && address < self.address + self.size as u64
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct StoreBuffer {
    /// Oldest first.
    stores: Vec<BufferedStore>,
    fences: u32,
}

impl StoreBuffer {
    pub fn is_empty(&self) -> bool {
        self.stores.is_empty()
    }

    pub fn stores(&self) -> &[BufferedStore] {
        &self.stores
    }

    pub fn push(&mut self, mut store: BufferedStore) {
        store.fences = self.fences;
        self.stores.push(store);
    }

    /// Orders the stores so far before all later ones.
    pub fn fence(&mut self) {
        if !self.stores.is_empty() {
            self.fences += 1;
        }
    }

    pub fn take(&mut self, nth: usize) -> BufferedStore {
        let store = self.stores.remove(nth);
        if self.stores.is_empty() {
            self.fences = 0;
        }
        store
    }

    /// Whether the `nth` store may reach memory now.
    pub fn may_commit(&self, memory: MemoryModel, nth: usize) -> bool {
        nth < self.stores.len() && !(0..nth).any(|earlier| self.is_ordered(memory, earlier, nth))
    }

    /// Whether one store has to reach memory before a later one, whatever is between them.
    fn is_ordered(&self, memory: MemoryModel, earlier: usize, later: usize) -> bool {
        let (first, second) = (&self.stores[earlier], &self.stores[later]);
        match memory {
            MemoryModel::Sc | MemoryModel::Tso => true,
            MemoryModel::Pso => {
                second.after_all || first.fences != second.fences || first.overlaps(second.address, second.size)
            }
        }
    }

    /// The stores that have to reach memory before the `nth`, in order.
    pub fn before(&self, memory: MemoryModel, nth: usize) -> Vec<usize> {
        let mut needed = vec![nth];
        for earlier in (0..nth).rev() {
            if needed.iter().any(|&later| self.is_ordered(memory, earlier, later)) {
                needed.push(earlier);
            }
        }
        needed.remove(0);
        needed.reverse();
        needed
    }

    /// What the own thread sees at `address`, where memory has `value`: the newest store to each byte.
    pub fn forward(&self, address: u64, size: u8, value: u64, undefined: Undefined) -> (u64, Undefined) {
        let (mut bytes, mut undefined) = (value.to_le_bytes(), undefined);
        for store in self.stores.iter().filter(|s| s.overlaps(address, size)) {
            let stored = store.value.to_le_bytes();
            for (i, byte) in bytes.iter_mut().enumerate().take(size as usize) {
                let at = (address + i as u64).wrapping_sub(store.address);
                if at < store.size as u64 {
                    *byte = stored[at as usize];
                    undefined = undefined & !(1 << i) | (store.undefined >> at & 1) << i;
                }
            }
        }
        (u64::from_le_bytes(bytes), undefined)
    }

    /// Whether the newest store that `address` is read from is in the buffer.
    pub fn holds(&self, address: u64, size: u8) -> bool {
        self.stores.iter().any(|s| s.overlaps(address, size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(address: u64, size: u8, value: u64) -> BufferedStore {
        let at = (FuncId(0), Pc(0));
        let origin = Origin { function: at.0, pc: at.1, user: at };
        BufferedStore { origin, address, size, value, undefined: 0, publishes: None, after_all: false, fences: 0 }
    }

    fn committable(buffer: &StoreBuffer, memory: MemoryModel) -> Vec<usize> {
        (0..buffer.stores().len()).filter(|&n| buffer.may_commit(memory, n)).collect()
    }

    #[test]
    fn tso_is_first_in_first_out() {
        let mut buffer = StoreBuffer::default();
        buffer.push(store(0x10, 4, 1));
        buffer.push(store(0x20, 4, 2));
        assert_eq!(committable(&buffer, MemoryModel::Tso), [0]);
        assert_eq!(committable(&buffer, MemoryModel::Pso), [0, 1]);
    }

    #[test]
    fn pso_keeps_overlapping_stores_releases_and_fences_in_order() {
        let mut buffer = StoreBuffer::default();
        buffer.push(store(0x10, 4, 1));
        buffer.push(store(0x12, 1, 2));
        buffer.push(BufferedStore { after_all: true, ..store(0x20, 4, 3) });
        buffer.push(store(0x30, 4, 4));
        buffer.fence();
        buffer.push(store(0x40, 4, 5));
        assert_eq!(committable(&buffer, MemoryModel::Pso), [0, 3]);
        assert_eq!(buffer.before(MemoryModel::Pso, 1), [0_usize]);
        assert!(buffer.before(MemoryModel::Pso, 3).is_empty());
        assert_eq!(buffer.before(MemoryModel::Pso, 4), [0_usize, 1, 2, 3]);
    }

    #[test]
    fn forwarding_takes_the_newest_store_of_each_byte() {
        let mut buffer = StoreBuffer::default();
        buffer.push(store(0x10, 4, 0x1111_1111));
        buffer.push(store(0x11, 1, 0x22));
        buffer.push(BufferedStore { undefined: 1, ..store(0x13, 1, 0) });
        assert_eq!(buffer.forward(0x10, 4, 0, 0xf), (0x0011_2211, 0b1000));
        assert_eq!(buffer.forward(0x0e, 4, 0xabcd, 0), (0x2211_abcd, 0));
    }
}
