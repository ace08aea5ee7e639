//! The heap functions, each one point.

use crate::alloc::{ARENA, Region};
use crate::memory;
use crate::point::{enter, fail};

/// What `malloc` promises on this machine.
const ALIGN: usize = 16;

fn new_object(size: usize) -> usize {
    aligned_object(ALIGN, size)
}

fn aligned_object(align: usize, size: usize) -> usize {
    ARENA.lock().allocate(Region::Heap, size, align).1
}

fn release(me: usize, address: usize) {
    if address == 0 {
        return;
    }
    let mut arena = ARENA.lock();
    match arena.to_free(address) {
        Ok(id) => arena.free(id),
        Err(kind) => {
            drop(arena);
            fail(me, kind)
        }
    }
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rt_malloc(point: u32, size: usize) -> usize {
    enter(point);
    new_object(size)
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rt_aligned_alloc(point: u32, align: usize, size: usize) -> usize {
    enter(point);
    aligned_object(align.max(ALIGN), size)
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rt_usable_size(point: u32, address: usize) -> usize {
    let me = enter(point);
    if address == 0 {
        return 0;
    }
    let arena = ARENA.lock();
    match arena.to_free(address) {
        Ok(id) => arena.object(id).size,
        Err(kind) => {
            drop(arena);
            fail(me, kind)
        }
    }
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rt_calloc(point: u32, count: usize, size: usize) -> usize {
    enter(point);
    count.checked_mul(size).map_or(0, new_object)
}

/// Always moves the object, so that pointers to the old place are seen to be stale.
#[unsafe(no_mangle)]
extern "C" fn ordain_rt_realloc(point: u32, old: usize, size: usize) -> usize {
    let me = enter(point);
    if old == 0 {
        return new_object(size);
    }
    let arena = ARENA.lock();
    let kept = match arena.to_free(old) {
        Ok(id) => arena.object(id).size.min(size),
        Err(kind) => {
            drop(arena);
            fail(me, kind)
        }
    };
    drop(arena);
    memory::drain(me);
    let new = new_object(size);
    // SAFETY: both objects are alive, apart, and at least `kept` bytes large.
    unsafe { (new as *mut u8).copy_from_nonoverlapping(old as *const u8, kept) };
    release(me, old);
    new
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rt_free(point: u32, address: usize) {
    let me = enter(point);
    release(me, address);
}
