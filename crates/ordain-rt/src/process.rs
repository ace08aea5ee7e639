//! What ends the process, or only looks as if it did something.

use crate::failure::Kind;
use crate::gate::{self, GATE};
use crate::memory;
use crate::point::{enter, fail};
use crate::report;
use crate::sys;
use core::ffi::c_int;

/// A regular end, by thread `me`.
pub fn end(me: usize, status: c_int) -> ! {
    gate::let_others_arrive();
    report::exit(&GATE.lock(), me, status);
    // SAFETY: the outcome is written; handlers of `atexit` and buffered output are the program's own business.
    unsafe { sys::exit(status) }
}

#[unsafe(no_mangle)]
pub extern "C" fn ordain_rt_exit(point: u32, status: c_int) -> ! {
    let me = enter(point);
    memory::drain(me);
    end(me, status)
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rt_exit_now(point: u32, status: c_int) -> ! {
    let me = enter(point);
    memory::drain(me);
    gate::let_others_arrive();
    report::exit(&GATE.lock(), me, status);
    // SAFETY: the outcome is written, and this is what the program asked for.
    unsafe { sys::_exit(status) }
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rt_abort(point: u32) -> ! {
    let me = enter(point);
    fail(me, Kind::Abort)
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rt_assert_fail(point: u32) -> ! {
    let me = enter(point);
    fail(me, Kind::Assertion)
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rt_reach_error(point: u32) -> ! {
    let me = enter(point);
    fail(me, Kind::Assertion)
}

/// An execution that breaks an assumption does not count, once the thread that does has its turn.
#[unsafe(no_mangle)]
extern "C" fn ordain_rt_assume(place: u32, holds: u32) {
    if holds == 0 {
        let me = enter(place);
        report::broken_assumption(&GATE.lock(), me);
    }
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rt_atomic_begin(point: u32) {
    let me = enter(point);
    let mut gate = GATE.lock();
    gate.drain(me);
    let depth = gate.atomic.map_or(0, |(_, depth)| depth);
    gate.atomic = Some((me, depth + 1));
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rt_atomic_end(point: u32) {
    let me = enter(point);
    let mut gate = GATE.lock();
    gate.drain(me);
    gate.atomic = gate.atomic.and_then(|(inside, depth)| (depth > 1).then_some((inside, depth - 1)));
}

/// `sched_yield` and the like.
#[unsafe(no_mangle)]
extern "C" fn ordain_rt_pause(_place: u32) -> c_int {
    0
}

/// Control reached what the compiler took for unreachable.
#[unsafe(no_mangle)]
extern "C" fn ordain_rt_unreachable(place: u32) -> ! {
    enter(place);
    report::error("the program ran into code that the compiler took for unreachable")
}
