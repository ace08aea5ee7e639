//! Condition variables, and other decisions that the schedule takes. As in the machine, waiting is in steps.

use crate::alloc;
use crate::failure::Kind;
use crate::gate::{self, GATE, Gate, Need};
use crate::memory;
use crate::point::{enter, fail};
use crate::threads;
use core::ffi::{c_int, c_void};

/// What a check of a condition variable's memory looks at: its first bytes.
const CONDITION_BYTES: usize = 1;

/// Whether a thread waits for a condition, or has done so and not gone on yet.
#[derive(Clone, Copy)]
pub struct Waiting {
    /// 0 for none: nothing lives there.
    condition: usize,
    pub woken: bool,
    /// Who came first.
    arrival: u64,
}

impl Waiting {
    pub const NO: Waiting = Waiting { condition: 0, woken: false, arrival: 0 };
}

impl Gate {
    fn waits(&self, thread: usize, condition: usize) -> bool {
        let waiting = self.threads[thread].waiting;
        waiting.condition == condition && !waiting.woken
    }

    /// The thread that has come as the `nth` of those that wait (from 0).
    fn waiter(&self, condition: usize, nth: usize) -> Option<usize> {
        let waits = |t: &usize| self.waits(*t, condition);
        let arrival = |t: usize| self.threads[t].waiting.arrival;
        self.live().filter(waits).find(|&t| {
            let earlier = self.live().filter(waits).filter(|&other| arrival(other) < arrival(t));
            earlier.count() == nth
        })
    }
}

fn condition(point: u32, condition: *mut c_void) -> usize {
    let me = enter(point);
    alloc::check(me, condition as usize, CONDITION_BYTES);
    memory::drain(me);
    me
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rt_cond_enqueue(point: u32, address: *mut c_void) {
    let me = condition(point, address);
    let mut gate = GATE.lock();
    gate.note_change();
    gate.arrivals += 1;
    gate.threads[me].waiting = Waiting { condition: address as usize, woken: false, arrival: gate.arrivals };
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rt_cond_sleep(point: u32) {
    let me = threads::current();
    gate::arrive(me, point, Need::Signal);
    let mut gate = GATE.lock();
    gate.note_change();
    gate.drain(me);
    gate.threads[me].waiting = Waiting::NO;
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rt_cond_woken(point: u32) -> c_int {
    look(enter(point), false)
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rt_cond_leave(point: u32) -> c_int {
    look(enter(point), true)
}

fn look(me: usize, leaves: bool) -> c_int {
    let mut gate = GATE.lock();
    gate.drain(me);
    let woken = gate.threads[me].waiting.woken;
    if woken || leaves {
        gate.note_change();
        gate.threads[me].waiting = Waiting::NO;
    }
    c_int::from(woken)
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rt_cond_signal(point: u32, address: *mut c_void) {
    condition(point, address);
    let mut gate = GATE.lock();
    gate.note_change();
    let nth = gate.outcome() as usize;
    if let Some(woken) = gate.waiter(address as usize, nth) {
        gate.threads[woken].waiting.woken = true;
    }
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rt_cond_broadcast(point: u32, address: *mut c_void) {
    condition(point, address);
    let mut gate = GATE.lock();
    gate.note_change();
    while let Some(woken) = gate.waiter(address as usize, 0) {
        gate.threads[woken].waiting.woken = true;
    }
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rt_cond_waiters(point: u32, address: *mut c_void) -> c_int {
    condition(point, address);
    c_int::from(GATE.lock().waiter(address as usize, 0).is_some())
}

/// Whether time is up, or a wait ends without a signal: as the schedule says.
#[unsafe(no_mangle)]
extern "C" fn ordain_rt_choose(point: u32) -> c_int {
    enter(point);
    GATE.lock().outcome() as c_int
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rt_misuse(point: u32) -> ! {
    let me = enter(point);
    fail(me, Kind::LockMisuse)
}
