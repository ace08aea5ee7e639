//! Stack variables whose address is taken: objects like those of the heap, which die when their frame returns.

use crate::alloc::{ARENA, ObjectId, Region};
use crate::gate::GATE;
use crate::threads;

/// A function with such variables was entered; what it has to pass to `ordain_rt_frame_leave`.
#[unsafe(no_mangle)]
extern "C" fn ordain_rt_frame_enter() -> ObjectId {
    GATE.lock().threads[threads::current()].top
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rt_stack_object(size: usize, align: usize) -> usize {
    let me = threads::current();
    let below = GATE.lock().threads[me].top;
    let (id, base) = ARENA.lock().allocate(Region::Stack { below }, size, align);
    GATE.lock().threads[me].top = id;
    base
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rt_frame_leave(mark: ObjectId) {
    leave(threads::current(), mark);
}

/// The stack objects of thread `me` that are newer than `mark` die.
pub fn leave(me: usize, mark: ObjectId) {
    let mut top = GATE.lock().threads[me].top;
    let mut arena = ARENA.lock();
    while top != mark
        && let Region::Stack { below } = arena.object(top).region
    {
        arena.free(top);
        top = below;
    }
    drop(arena);
    GATE.lock().threads[me].top = mark;
}
