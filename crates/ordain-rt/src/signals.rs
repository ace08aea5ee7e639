//! Faults: what the checks before accesses cannot see (native libraries, wild addresses, overflowing division).
//!
//! A handler runs at the faulting instruction of the program, not inside of the runtime, which touches the program's
//! memory only without holding a lock. So it may wait at the gate like any other code: a fault in local code counts as a
//! point that other threads can come before.

use crate::alloc;
use crate::failure::Kind;
use crate::gate::{self, GATE};
use crate::report;
use crate::sys::{self, SigAction, SigInfo};
use crate::threads;
use core::ffi::{c_int, c_void};

/// The kernel does not know the address: it is not one at all (general protection).
const SI_KERNEL: c_int = 0x80;

pub fn start() {
    for signal in [sys::SIGSEGV, sys::SIGBUS, sys::SIGFPE, sys::SIGABRT, sys::SIGILL] {
        let action = SigAction {
            handler: handler as extern "C" fn(c_int, *const SigInfo, *mut c_void) as usize,
            mask: [0; 16],
            flags: sys::SA_SIGINFO,
            restorer: 0,
        };
        // SAFETY: the handler has the signature that SA_SIGINFO asks for.
        unsafe { sys::sigaction(signal, &action, core::ptr::null_mut()) };
    }
}

extern "C" fn handler(signal: c_int, info: *const SigInfo, _context: *mut c_void) {
    // SAFETY: the kernel passes a valid siginfo.
    let info = unsafe { &*info };
    let kind = match signal {
        sys::SIGFPE => Kind::Division,
        sys::SIGABRT | sys::SIGILL => Kind::Abort,
        _ if info.code == SI_KERNEL => Kind::Bounds,
        _ => alloc::fault_kind(info.address),
    };
    let me = threads::current();
    let gate = GATE.lock();
    if !gate.is_inside_point(me) {
        let last = gate.threads[me].point;
        drop(gate);
        gate::arrive(me, last, gate::Need::Nothing);
    } else {
        drop(gate);
    }
    gate::let_others_arrive();
    report::fault(&GATE.lock(), me, kind)
}
