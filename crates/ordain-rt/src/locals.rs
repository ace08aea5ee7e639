//! Thread-local variables: objects like those of the heap, which die with their thread.

use crate::alloc::{ARENA, ObjectId, Region};
use crate::gate::GATE;
use crate::threads;

/// The calling thread's copy of the variable whose initial value is at `template`.
#[unsafe(no_mangle)]
extern "C" fn ordain_rt_thread_local(template: usize, size: usize, align: usize) -> usize {
    let me = threads::current();
    let newest = GATE.lock().threads[me].locals;
    let mut arena = ARENA.lock();
    let mut id = newest;
    while id != ObjectId::NONE
        && let Region::ThreadLocal { template: of, before } = arena.object(id).region
    {
        if of == template {
            return arena.object(id).base;
        }
        id = before;
    }
    let (id, base) = arena.allocate(Region::ThreadLocal { template, before: newest }, size, align.max(1));
    drop(arena);
    GATE.lock().threads[me].locals = id;
    // SAFETY: the instrumented program passes the address and size of a variable; the new object has that size.
    unsafe { core::ptr::copy_nonoverlapping(template as *const u8, base as *mut u8, size) };
    base
}

/// Thread `me` ends, and its copies with it.
pub fn end(me: usize) {
    let mut id = core::mem::replace(&mut GATE.lock().threads[me].locals, ObjectId::NONE);
    let mut arena = ARENA.lock();
    while id != ObjectId::NONE
        && let Region::ThreadLocal { before, .. } = arena.object(id).region
    {
        arena.free(id);
        id = before;
    }
}
