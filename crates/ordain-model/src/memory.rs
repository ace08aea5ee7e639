//! Where objects live: deterministic addresses.
//!
//! An object's address is a function of its name (thread, allocation site, how often that thread was there, size), so it
//! depends on the path of the allocating thread alone, and the other way round: an address belongs to one object, for
//! as long as an `AddressBook` lives. Objects are never reused and lie apart, so that running over the end of one does not
//! end up in another.

use crate::names::ThreadName;
use ordain_ir::program::{FuncId, GlobalId, Pc, Program};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Unmapped bytes between two objects, at least; after a large one as many as it has, so that an index that is off by less
/// than the object is long does not end up in another.
const GAP_BYTES: u64 = 4096;
const FIRST_ADDRESS: u64 = 0x10_0000_0000;
/// Objects of the program lie below.
const LAST_ADDRESS: u64 = 1 << 46;
/// How much is set aside when a stray pointer leads to where nothing was allocated yet.
const RESERVE_BYTES: u64 = 1 << 36;
/// Addresses below are null pointers with an offset.
pub const NULL_PAGE_BYTES: u64 = 4096;

/// The name of a stack or heap object.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct AllocationName {
    pub thread: ThreadName,
    pub function: FuncId,
    pub pc: Pc,
    /// How many allocations this thread made at this place before.
    pub nth: u32,
    pub size: u64,
    pub align: u64,
    pub kind: AllocationKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum AllocationKind {
    Stack,
    Heap,
    /// A thread's copy of a thread-local variable; the global is its initial value.
    ThreadLocal(GlobalId),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ObjectOrigin {
    Global(GlobalId),
    Allocation(AllocationName),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ObjectInfo {
    pub base: u64,
    pub size: u64,
    pub origin: ObjectOrigin,
}

impl ObjectInfo {
    pub fn contains(&self, address: u64, bytes: u64) -> bool {
        address >= self.base && address - self.base <= self.size && self.size - (address - self.base) >= bytes
    }
}

/// Every object that was ever allocated in any run of one exploration, by address.
#[derive(Clone, Debug)]
pub struct AddressBook {
    objects: BTreeMap<u64, ObjectInfo>,
    allocations: FxHashMap<AllocationName, u64>,
    next: u64,
    /// What `nowhere` has answered: bytes of the access, first and last address.
    gaps: Vec<(u64, u64, u64)>,
}

impl AddressBook {
    pub fn new(program: &Program) -> Self {
        let objects = program
            .globals
            .iter()
            .enumerate()
            .map(|(i, g)| {
                let origin = ObjectOrigin::Global(GlobalId(i as u32));
                (g.address, ObjectInfo { base: g.address, size: g.init.len() as u64, origin })
            })
            .collect();
        AddressBook { objects, allocations: FxHashMap::default(), next: FIRST_ADDRESS, gaps: Vec::new() }
    }

    /// The address of the object with this name; the same for the same name, always.
    pub fn allocate(&mut self, name: AllocationName) -> u64 {
        if let Some(&base) = self.allocations.get(&name) {
            return base;
        }
        let align = name.align.max(16);
        let base = self.next.next_multiple_of(align);
        self.next = base + name.size + GAP_BYTES.max(name.size);
        let info = ObjectInfo { base, size: name.size, origin: ObjectOrigin::Allocation(name.clone()) };
        self.objects.insert(base, info);
        self.allocations.insert(name, base);
        base
    }

    /// The address of a thread's copy of the thread-local variable `global` of `program`.
    pub fn thread_local(&mut self, program: &Program, global: GlobalId, thread: &ThreadName, align: u64) -> u64 {
        self.allocate(AllocationName {
            thread: thread.clone(),
            function: program.start,
            pc: Pc(0),
            nth: 0,
            size: program.globals[global.index()].init.len() as u64,
            align,
            kind: AllocationKind::ThreadLocal(global),
        })
    }

    /// The global that starts at `base`.
    pub fn global(&self, base: u64) -> Option<GlobalId> {
        match self.object(base)?.origin {
            ObjectOrigin::Global(id) => Some(id),
            ObjectOrigin::Allocation(_) => None,
        }
    }

    /// The object that `address` points into, or one past.
    pub fn find(&self, address: u64) -> Option<&ObjectInfo> {
        let (_, object) = self.objects.range(..=address).next_back()?;
        object.contains(address, 0).then_some(object)
    }

    /// The object at or before `address`: the likely one to have been meant by an address that is in none.
    pub fn at_or_before(&self, address: u64) -> Option<&ObjectInfo> {
        self.objects.range(..=address).next_back().map(|(_, object)| object)
    }

    /// The object that starts at `base`.
    pub fn object(&self, base: u64) -> Option<&ObjectInfo> {
        self.objects.get(&base)
    }

    /// The addresses around `address` at which an access of `bytes` bytes is in no object, and never will be.
    pub fn nowhere(&mut self, address: u64, bytes: u64) -> (u64, u64) {
        if address < NULL_PAGE_BYTES {
            return (0, NULL_PAGE_BYTES - 1);
        }
        // Objects that come later must not change what was said before.
        let known = self.gaps.iter().find(|g| g.0 == bytes && g.1 <= address && address <= g.2);
        if let Some(&(_, low, high)) = known {
            return (low, high);
        }
        let before = self.objects.range(..=address).next_back().map(|(_, o)| o);
        let low = before.map_or(NULL_PAGE_BYTES, |o| (o.base + o.size + 1).saturating_sub(bytes).max(o.base));
        let after = self.objects.range(address + 1..).next().map(|(&base, _)| base);
        let high = match after {
            Some(base) => base - 1,
            // Nothing has been allocated there yet: see to it that nothing will be.
            None if address < LAST_ADDRESS => {
                self.next = self.next.max((address + RESERVE_BYTES).min(LAST_ADDRESS));
                self.next - 1
            }
            None => u64::MAX,
        };
        self.gaps.push((bytes, low, high));
        (low, high)
    }
}
