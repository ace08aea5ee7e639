//! Thread-local variables: each thread has its own copy of them, from its first use to the thread's end.
//!
//! That a copy appears only when its thread first asks for its address cannot be noticed: nobody else knows where it is.

use crate::memory::{Object, ObjectKind};
use crate::stop::Stop;
use crate::thread::Thread;
use crate::world::World;

/// Where the thread's own copy of the variable is whose initial value is at `template`.
pub(crate) fn address(world: &mut World<'_>, thread: &mut Thread, template: u64, align: u64) -> Result<u64, Stop> {
    if let Some(&base) = thread.locals.get(&template) {
        return Ok(base);
    }
    let global = world.book.borrow().global(template);
    let Some(global) = global else {
        return Err(Stop::Unsupported("a thread-local variable that is nowhere defined".to_owned()));
    };
    let base = world.book.borrow_mut().thread_local(world.program, global, &thread.name, align);
    let init = world.program.globals[global.index()].init.clone();
    world.memory.insert(base, Object::defined(ObjectKind::Stack, init));
    // It belongs to the outermost frame, so that it dies with the thread.
    thread.stack_objects.insert(0, base);
    thread.frames.iter_mut().skip(1).for_each(|frame| frame.stack_objects += 1);
    thread.locals.insert(template, base);
    Ok(base)
}
