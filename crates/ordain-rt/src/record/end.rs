//! How the run ends: noted in the log of the thread that ends it, before what the program asked for happens.

use super::relaxed;
use super::threads::{current, note_end};
use crate::format::State;
use crate::sys::{self, SigAction, SigInfo};
use core::ffi::{c_char, c_int, c_uint, c_void};

/// Room for a handler, also of a thread whose stack is used up.
const HANDLER_STACK_BYTES: usize = 16 << 10;
/// Where the saved registers of a signal's context have the instruction pointer (x86-64).
const CONTEXT_PC: usize = 40 + 16 * 8;

#[unsafe(no_mangle)]
pub extern "C" fn ordain_rec_exit(status: c_int) -> ! {
    relaxed::drain_current();
    note_end(State::EndedProcess, status as u32);
    // SAFETY: what the program asked for.
    unsafe { sys::exit(status) }
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rec_exit_now(status: c_int) -> ! {
    note_end(State::EndedProcessNow, status as u32);
    // SAFETY: what the program asked for.
    unsafe { sys::_exit(status) }
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rec_abort() -> ! {
    end_by_abort(State::Aborted)
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rec_assert_fail(
    expression: *const c_char,
    file: *const c_char,
    line: c_uint,
    function: *const c_char,
) -> ! {
    note_end(State::AssertionFailed, 0);
    // SAFETY: what the program asked for, with its own arguments.
    unsafe { sys::__assert_fail(expression, file, line, function) }
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rec_reach_error() -> ! {
    end_by_abort(State::ReachedError)
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rec_misuse() -> ! {
    end_by_abort(State::Misused)
}

/// An execution that breaks an assumption does not count.
#[unsafe(no_mangle)]
extern "C" fn ordain_rec_assume(holds: u64) {
    if holds == 0 {
        note_end(State::BrokeAssumption, 0);
        // SAFETY: ends the process.
        unsafe { sys::_exit(0) }
    }
}

fn end_by_abort(state: State) -> ! {
    note_end(state, 0);
    // SAFETY: ends the process.
    unsafe { sys::abort() }
}

/// Faults are noted, and then have the effect that they would have had.
pub fn catch_faults() {
    for signal in [sys::SIGSEGV, sys::SIGBUS, sys::SIGFPE, sys::SIGABRT, sys::SIGILL, sys::SIGTRAP] {
        let action = SigAction {
            handler: handler as extern "C" fn(c_int, *const SigInfo, *mut c_void) as usize,
            mask: [0; 16],
            // Reset: what caused the fault is done again after the handler, and then ends the process.
            flags: sys::SA_SIGINFO | sys::SA_ONSTACK | sys::SA_RESETHAND,
            restorer: 0,
        };
        // SAFETY: the handler has the signature that SA_SIGINFO asks for.
        unsafe { sys::sigaction(signal, &action, core::ptr::null_mut()) };
    }
    catch_faults_in_thread();
}

/// Every thread needs a stack for its handlers: its own may be what is wrong.
pub fn catch_faults_in_thread() {
    let prot = sys::PROT_READ | sys::PROT_WRITE;
    if let Some(base) = sys::map_anonymous(HANDLER_STACK_BYTES, prot) {
        let stack = sys::SignalStack { base, flags: 0, size: HANDLER_STACK_BYTES };
        // SAFETY: fresh memory that nothing else uses.
        unsafe { sys::sigaltstack(&stack, core::ptr::null_mut()) };
    }
}

extern "C" fn handler(signal: c_int, info: *const SigInfo, context: *mut c_void) {
    // SAFETY: the kernel passes a valid siginfo and a context with the registers.
    let (address, pc) = unsafe { ((*info).address, context.byte_add(CONTEXT_PC).cast::<u64>().read()) };
    if let Some(thread) = current() {
        thread.note_fault(signal as u32, pc, address as u64);
    }
}
