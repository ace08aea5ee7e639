//! Mutexes. Their state is kept here, by address, so that locking never blocks inside of libc and zeroed memory
//! is an unlocked mutex.

use crate::alloc;
use crate::failure::Kind;
use crate::gate::{self, GATE, Need};
use crate::point::{check_local, enter, fail};
use crate::report;
use crate::sys;
use crate::threads;
use core::ffi::{c_int, c_void};

const EBUSY: c_int = 16;
const FIRST_CAPACITY: usize = 1 << 10;
/// What a check of a mutex's memory looks at: its first bytes.
const MUTEX_BYTES: usize = 1;

#[derive(Clone, Copy)]
struct Slot {
    /// 0 is an empty slot; no mutex lives there.
    address: usize,
    /// Thread number + 1, 0 if unlocked.
    owner: usize,
}

/// Who holds which mutex: a hash table with linear probing. Addresses are never taken out.
pub struct Owners {
    slots: *mut Slot,
    capacity: usize,
    used: usize,
}

// SAFETY: the table belongs to this value alone, which is only reached through the gate's lock.
unsafe impl Send for Owners {}

impl Owners {
    pub const fn new() -> Self {
        Owners { slots: core::ptr::null_mut(), capacity: 0, used: 0 }
    }

    pub fn owner(&self, address: usize) -> Option<usize> {
        if self.capacity == 0 {
            return None;
        }
        self.slot(address).owner.checked_sub(1)
    }

    fn set_owner(&mut self, address: usize, owner: Option<usize>) {
        if 2 * (self.used + 1) > self.capacity {
            self.grow();
        }
        let slot = self.slot_mut(address);
        let new = slot.address == 0;
        *slot = Slot { address, owner: owner.map_or(0, |t| t + 1) };
        self.used += usize::from(new);
    }

    fn index(&self, address: usize) -> usize {
        let mask = self.capacity - 1;
        let mut i = address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20 & mask;
        // SAFETY: `i` is below the capacity; at least half of the slots are empty, so this ends.
        while unsafe { !matches!((*self.slots.add(i)).address, 0) && (*self.slots.add(i)).address != address } {
            i = (i + 1) & mask;
        }
        i
    }

    fn slot(&self, address: usize) -> Slot {
        // SAFETY: the index is below the capacity.
        unsafe { *self.slots.add(self.index(address)) }
    }

    fn slot_mut(&mut self, address: usize) -> &mut Slot {
        // SAFETY: as in `slot`, and this is the only reference.
        unsafe { &mut *self.slots.add(self.index(address)) }
    }

    fn grow(&mut self) {
        let capacity = (2 * self.capacity).max(FIRST_CAPACITY);
        let bytes = capacity * size_of::<Slot>();
        let Some(slots) = sys::map_anonymous(bytes, sys::PROT_READ | sys::PROT_WRITE) else {
            report::error("no memory for the table of mutexes")
        };
        let old = core::mem::replace(self, Owners { slots: slots as *mut Slot, capacity, used: 0 });
        for i in 0..old.capacity {
            // SAFETY: below the old capacity. The old table is not given back: there are few of them.
            let slot = unsafe { *old.slots.add(i) };
            if slot.address != 0 {
                self.set_owner(slot.address, slot.owner.checked_sub(1));
            }
        }
    }
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rt_mutex_init(place: u32, mutex: *mut c_void, _attributes: *const c_void) -> c_int {
    check_local(place, mutex as usize, MUTEX_BYTES);
    0
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rt_mutex_destroy(point: u32, mutex: *mut c_void) -> c_int {
    let me = enter(point);
    alloc::check(me, mutex as usize, MUTEX_BYTES);
    if GATE.lock().mutexes.owner(mutex as usize).is_some() {
        fail(me, Kind::LockMisuse);
    }
    0
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rt_mutex_lock(point: u32, mutex: *mut c_void) -> c_int {
    let me = threads::current();
    gate::arrive(me, point, Need::Mutex(mutex as usize));
    alloc::check(me, mutex as usize, MUTEX_BYTES);
    let mut gate = GATE.lock();
    gate.note_change();
    gate.drain(me);
    gate.mutexes.set_owner(mutex as usize, Some(me));
    0
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rt_mutex_trylock(point: u32, mutex: *mut c_void) -> c_int {
    let me = enter(point);
    alloc::check(me, mutex as usize, MUTEX_BYTES);
    let mut gate = GATE.lock();
    gate.drain(me);
    if gate.mutexes.owner(mutex as usize).is_some() {
        return EBUSY;
    }
    gate.mutexes.set_owner(mutex as usize, Some(me));
    0
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rt_mutex_unlock(point: u32, mutex: *mut c_void) -> c_int {
    let me = enter(point);
    alloc::check(me, mutex as usize, MUTEX_BYTES);
    let mut gate = GATE.lock();
    if gate.mutexes.owner(mutex as usize) != Some(me) {
        drop(gate);
        fail(me, Kind::LockMisuse);
    }
    gate.drain(me);
    gate.mutexes.set_owner(mutex as usize, None);
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembers_many_owners() {
        let mut owners = Owners::new();
        assert_eq!(owners.owner(64), None);
        for i in 1..5000usize {
            owners.set_owner(64 * i, Some(i % 7));
        }
        owners.set_owner(64, None);
        assert_eq!(owners.owner(64), None);
        assert!((2..5000usize).all(|i| owners.owner(64 * i) == Some(i % 7)));
    }
}
