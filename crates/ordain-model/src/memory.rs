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

/// Where a thread allocates, and what: all of an `AllocationName` but how often it did so before.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct AllocationPlace {
    pub thread: ThreadName,
    pub function: FuncId,
    pub pc: Pc,
    pub size: u64,
    pub align: u64,
    pub kind: AllocationKind,
}

/// Index of an `AllocationPlace` in an address book.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PlaceId(u32);

/// An object as the book keeps it: long runs make many.
#[derive(Clone, Copy, Debug)]
struct Entry {
    base: u64,
    place: PlaceId,
    nth: u32,
}

/// Every object that was ever allocated in any run of one exploration, by address.
#[derive(Clone, Debug)]
pub struct AddressBook {
    globals: BTreeMap<u64, ObjectInfo>,
    places: Vec<AllocationPlace>,
    place_ids: FxHashMap<AllocationPlace, PlaceId>,
    /// In order of address, which is the order of allocation.
    objects: Vec<Entry>,
    /// Of every place the objects, in order of their numbers; `None` if nobody will ask again.
    allocations: Option<Vec<Vec<(u32, u64)>>>,
    next: u64,
    /// What `nowhere` has answered: bytes of the access, first and last address.
    gaps: Vec<(u64, u64, u64)>,
}

impl AddressBook {
    pub fn new(program: &Program) -> Self {
        let globals = program
            .globals
            .iter()
            .enumerate()
            .map(|(i, g)| {
                let origin = ObjectOrigin::Global(GlobalId(i as u32));
                (g.address, ObjectInfo { base: g.address, size: g.init.len() as u64, origin })
            })
            .collect();
        AddressBook {
            globals,
            places: Vec::new(),
            place_ids: FxHashMap::default(),
            objects: Vec::new(),
            allocations: Some(Vec::new()),
            next: FIRST_ADDRESS,
            gaps: Vec::new(),
        }
    }

    /// A book for one run only, in which no name comes up twice.
    pub fn for_one_run(program: &Program) -> Self {
        AddressBook { allocations: None, ..Self::new(program) }
    }

    /// The address of the object with this name; the same for the same name, always.
    pub fn allocate(&mut self, name: AllocationName) -> u64 {
        let AllocationName { thread, function, pc, nth, size, align, kind } = name;
        let place = self.place(AllocationPlace { thread, function, pc, size, align, kind });
        self.allocate_at(place, nth)
    }

    /// A place to allocate at, to be given to `allocate_at`.
    pub fn place(&mut self, place: AllocationPlace) -> PlaceId {
        if let Some(&id) = self.place_ids.get(&place) {
            return id;
        }
        let id = PlaceId(self.places.len() as u32);
        self.places.push(place.clone());
        self.place_ids.insert(place, id);
        if let Some(known) = &mut self.allocations {
            known.push(Vec::new());
        }
        id
    }

    /// The address of the `nth` object that is allocated at `place`; the same for the same number, always.
    pub fn allocate_at(&mut self, place: PlaceId, nth: u32) -> u64 {
        let AllocationPlace { size, align, .. } = self.places[place.0 as usize];
        let base = self.next.next_multiple_of(align.max(16));
        if let Some(known) = &mut self.allocations {
            let known = &mut known[place.0 as usize];
            // Mostly the next one.
            let at = match known.last() {
                Some((last, _)) if *last >= nth => match known.binary_search_by_key(&nth, |(nth, _)| *nth) {
                    Ok(at) => return known[at].1,
                    Err(at) => at,
                },
                _ => known.len(),
            };
            known.insert(at, (nth, base));
        }
        self.next = base + size + GAP_BYTES.max(size);
        self.objects.push(Entry { base, place, nth });
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

    fn info(&self, entry: &Entry) -> ObjectInfo {
        let AllocationPlace { thread, function, pc, size, align, kind } = self.places[entry.place.0 as usize].clone();
        let name = AllocationName { thread, function, pc, nth: entry.nth, size, align, kind };
        ObjectInfo { base: entry.base, size, origin: ObjectOrigin::Allocation(name) }
    }

    /// The object that `address` points into, or one past.
    pub fn find(&self, address: u64) -> Option<ObjectInfo> {
        self.at_or_before(address).filter(|object| object.contains(address, 0))
    }

    /// The object at or before `address`: the likely one to have been meant by an address that is in none.
    pub fn at_or_before(&self, address: u64) -> Option<ObjectInfo> {
        let after = self.objects.partition_point(|entry| entry.base <= address);
        match after.checked_sub(1) {
            Some(at) => Some(self.info(&self.objects[at])),
            None => self.globals.range(..=address).next_back().map(|(_, object)| object.clone()),
        }
    }

    /// The first address after `address` that an object starts at.
    fn first_after(&self, address: u64) -> Option<u64> {
        let allocated = self.objects.get(self.objects.partition_point(|entry| entry.base <= address));
        let global = self.globals.range(address + 1..).next();
        global.map(|(&base, _)| base).into_iter().chain(allocated.map(|entry| entry.base)).min()
    }

    /// The object that starts at `base`.
    pub fn object(&self, base: u64) -> Option<ObjectInfo> {
        self.at_or_before(base).filter(|object| object.base == base)
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
        let low = self
            .at_or_before(address)
            .map_or(NULL_PAGE_BYTES, |o| (o.base + o.size + 1).saturating_sub(bytes).max(o.base));
        let high = match self.first_after(address) {
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
