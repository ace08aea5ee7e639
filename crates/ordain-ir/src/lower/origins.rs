//! What constants were computed from.
//!
//! Addresses of globals and functions are numbers, so a constant that points beyond its variable (LLVM makes them of loops
//! that count from one), or a part or a difference of addresses, looks like any other number. Whoever has to know what it belongs to is
//! told of these (`Program::beyond`).

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Default)]
pub(super) struct Origins {
    /// Sizes by address.
    extents: BTreeMap<u64, u64>,
    /// Constants that are not where they belong, and the addresses of what they belong to.
    beyond: RefCell<BTreeSet<(u64, u64)>>,
}

impl Origins {
    pub fn place(&mut self, address: u64, size: u64) {
        self.extents.insert(address, size);
    }

    /// The constant that is so many bytes after another.
    pub fn offset(&self, from: u64, bytes: u64) -> u64 {
        self.computed(from.wrapping_add(bytes), &[from, bytes])
    }

    /// A constant that was computed from these.
    pub fn computed(&self, result: u64, from: &[u64]) -> u64 {
        let owners: BTreeSet<u64> = from.iter().flat_map(|&value| self.owners(value)).collect();
        let within = self.extent_at(result);
        let elsewhere = owners.into_iter().filter(|&owner| Some(owner) != within);
        self.beyond.borrow_mut().extend(elsewhere.map(|owner| (result, owner)));
        result
    }

    pub fn beyond(&self) -> Vec<(u64, u64)> {
        self.beyond.borrow().iter().copied().collect()
    }

    fn owners(&self, value: u64) -> Vec<u64> {
        let beyond = self.beyond.borrow();
        let noted = beyond.range((value, 0)..=(value, u64::MAX)).map(|(_, owner)| *owner);
        self.extent_at(value).into_iter().chain(noted).collect()
    }

    /// What a constant is in, or at the end of.
    fn extent_at(&self, value: u64) -> Option<u64> {
        let (&address, &size) = self.extents.range(..=value).next_back()?;
        (value - address <= size).then_some(address)
    }
}
