//! Threads: created natively, named by the order of creation, joined through the gate.

use crate::alloc::{self, ObjectId};
use crate::gate::{self, GATE, Need};
use crate::locals;
use crate::memory;
use crate::point::enter;
use crate::process;
use crate::report;
use crate::stack;
use crate::sys::{self, OsThread};
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU32, Ordering};

const NO_KEY: u32 = u32::MAX;

/// Where a thread finds its own number (+ 1, so that an unknown thread has 0).
static KEY: AtomicU32 = AtomicU32::new(NO_KEY);

/// Makes the calling thread the main thread.
pub fn start() {
    let mut key = 0;
    // SAFETY: the key is written before it is used; values have no destructor.
    if unsafe { sys::pthread_key_create(&mut key, core::ptr::null()) } != 0 {
        report::error("no key for thread-specific data");
    }
    KEY.store(key, Ordering::Relaxed);
    become_number(0);
}

fn become_number(number: usize) {
    // SAFETY: the key was created in `start`; the value is only a number.
    unsafe { sys::pthread_setspecific(KEY.load(Ordering::Relaxed), (number + 1) as *const c_void) };
}

/// The number of the calling thread.
pub fn current() -> usize {
    // SAFETY: reading a thread-specific value has no precondition; an unknown key gives null.
    let value = unsafe { sys::pthread_getspecific(KEY.load(Ordering::Relaxed)) } as usize;
    match value.checked_sub(1) {
        Some(number) => number,
        None => report::error("a thread that the runtime does not know reached a point"),
    }
}

/// What a new thread is to do.
#[derive(Clone, Copy)]
struct Task {
    number: usize,
    start: ThreadEntry,
    argument: *mut c_void,
    context: *mut c_void,
}

/// What a thread of the program starts with. Only models have use for the context.
type ThreadEntry = extern "C" fn(argument: *mut c_void, context: *mut c_void) -> *mut c_void;

/// A program's `pthread_t` is the thread's number + 1: no thread's is zero.
fn number_of(handle: OsThread) -> usize {
    match (handle as usize).checked_sub(1) {
        Some(number) if number < gate::MAX_THREADS => number,
        _ => report::error("a thread function was called with a handle that no thread has"),
    }
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rt_thread_create(
    point: u32,
    handle: *mut OsThread,
    _attributes: *const c_void,
    start: ThreadEntry,
    argument: *mut c_void,
    context: *mut c_void,
) -> c_int {
    let me = enter(point);
    alloc::check(me, handle as usize, size_of::<OsThread>());
    memory::drain(me);
    let number = GATE.lock().add_thread(me);
    // SAFETY: checked above; a wild pointer faults, which `signals` reports.
    unsafe { handle.write_unaligned(number as OsThread + 1) };
    let task = alloc::leak(Task { number, start, argument, context });
    let mut os = 0;
    // The attributes are those of a model, and nothing that libc would understand.
    // SAFETY: `run` takes a task, which lives for ever.
    if unsafe { sys::pthread_create(&mut os, core::ptr::null(), run, task.cast()) } != 0 {
        report::error("the system refused to create a thread");
    }
    // Nobody joins it natively: `ordain_rt_thread_join` waits at the gate.
    // SAFETY: the handle is that of the thread just created, which cannot have been joined.
    unsafe { sys::pthread_detach(os) };
    0
}

extern "C" fn run(task: *mut c_void) -> *mut c_void {
    // SAFETY: `ordain_rt_thread_create` passes a task that lives for ever.
    let task = unsafe { *task.cast::<Task>() };
    become_number(task.number);
    if report::is_debugged() {
        report::name_calling_thread(&GATE.lock(), task.number);
    }
    let value = (task.start)(task.argument, task.context);
    end(task.number, value);
    value
}

fn end(me: usize, value: *mut c_void) {
    stack::leave(me, ObjectId::NONE);
    locals::end(me);
    let last = GATE.lock().end_thread(me, value as usize);
    if last {
        process::end(me, 0);
    }
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rt_thread_exit(point: u32, value: *mut c_void) -> ! {
    let me = enter(point);
    end(me, value);
    // SAFETY: the thread has nothing more to do; its frames are C code.
    unsafe { sys::pthread_exit(value) }
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rt_thread_join(point: u32, handle: OsThread, out: *mut usize) -> c_int {
    let other = number_of(handle);
    let me = current();
    gate::arrive(me, point, Need::End(other));
    memory::drain(other);
    memory::drain(me);
    let value = GATE.lock().threads[other].value;
    if !out.is_null() {
        alloc::check(me, out as usize, size_of::<usize>());
        // SAFETY: checked above; a wild pointer faults, which `signals` reports.
        unsafe { out.write_unaligned(value) };
    }
    0
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rt_thread_detach(point: u32, _handle: OsThread) -> c_int {
    enter(point);
    0
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rt_thread_self(_point: u32) -> OsThread {
    current() as OsThread + 1
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rt_thread_equal(_point: u32, a: OsThread, b: OsThread) -> c_int {
    c_int::from(a == b)
}
