//! Addresses of a process that was recorded, here.
//!
//! An object has its address by the thread that allocates it, where, and how often it did so before; in the recorded process it
//! had one by chance, which is in the log. A pointer that was read there is translated by the object that it pointed into.

use std::collections::BTreeMap;

/// Where memory is that was elsewhere in the process that was recorded.
#[derive(Clone, Default, Debug)]
pub struct Places {
    /// By first address there: how large it was, and where it is. Memory is used again once it was freed.
    allocations: BTreeMap<u64, (u64, Vec<u64>)>,
    /// Some address was asked for in vain.
    missed: bool,
}

impl Places {
    /// Says whether somebody has asked for it before.
    pub fn note(&mut self, there: u64, size: u64, here: u64) -> bool {
        let (largest, known) = self.allocations.entry(there).or_default();
        *largest = size.max(*largest);
        if known.contains(&here) {
            return false;
        }
        known.push(here);
        self.missed
    }

    pub fn find(&mut self, there: u64) -> Option<u64> {
        let found = self.allocations.range(..=there).next_back();
        let found = found.filter(|(first, (size, _))| there - **first < (*size).max(1));
        self.missed |= found.is_none();
        match found {
            Some((first, (_, known))) if known.len() == 1 => Some(known[0] + (there - first)),
            _ => None,
        }
    }
}
