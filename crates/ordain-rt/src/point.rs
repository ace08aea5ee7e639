//! Points that need nothing but the gate, and the checks at accesses of one's own memory and divisions.

use crate::alloc;
use crate::failure::Kind;
use crate::gate::{self, GATE, Need};
use crate::report;
use crate::threads;

/// Waits for the turn at `point`; the number of the calling thread.
pub fn enter(point: u32) -> usize {
    let me = threads::current();
    gate::arrive(me, point, Need::Nothing);
    me
}

/// The point that thread `me` is executing failed: the end.
pub fn fail(me: usize, kind: Kind) -> ! {
    gate::let_others_arrive();
    report::failure(&GATE.lock(), me, kind)
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rt_point(point: u32) {
    enter(point);
}

/// An access that is no point.
#[unsafe(no_mangle)]
extern "C" fn ordain_rt_local_access(place: u32, address: usize, size: usize) {
    check_local(place, address, size);
}

/// Only if a local access fails the other threads can notice it, so only then it waits for its turn.
pub fn check_local(place: u32, address: usize, size: usize) {
    if let Some(kind) = alloc::verdict(address, size) {
        let me = enter(place);
        fail(me, kind);
    }
}

/// A point that divides; whether the division has no result.
#[unsafe(no_mangle)]
extern "C" fn ordain_rt_division(point: u32, traps: u32) {
    let me = enter(point);
    if traps != 0 {
        fail(me, Kind::Division);
    }
}

/// The program calls a library function of which Ordain has a model, from `place`. Returns what has to be passed to
/// `ordain_rt_model_leave`.
#[unsafe(no_mangle)]
extern "C" fn ordain_rt_model_enter(place: u32) -> u32 {
    let me = threads::current();
    core::mem::replace(&mut GATE.lock().threads[me].caller, place)
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rt_model_leave(caller: u32) {
    GATE.lock().threads[threads::current()].caller = caller;
}

/// The place of what happens in a model: that of its call in the program.
#[unsafe(no_mangle)]
extern "C" fn ordain_rt_caller() -> u32 {
    GATE.lock().threads[threads::current()].caller
}
