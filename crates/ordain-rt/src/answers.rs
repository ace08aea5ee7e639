//! System calls that the plan answers: those of a run that was recorded. They do not reach the kernel.

use crate::alloc;
use crate::gate::GATE;
use crate::plan::Plan;
use crate::report;
use crate::threads;
use core::ffi::c_long;
use core::sync::atomic::{AtomicBool, Ordering};

/// Whether the plan answers system calls.
static ANSWERED: AtomicBool = AtomicBool::new(false);

pub fn start(plan: &Plan) {
    ANSWERED.store(plan.is_answered, Ordering::Relaxed);
}

/// What the calling thread's system call returns, if that is in the plan. What it writes goes to `to`.
pub fn next(to: *mut u8) -> Option<c_long> {
    if !ANSWERED.load(Ordering::Relaxed) {
        return None;
    }
    let me = threads::current();
    let answer = {
        let mut gate = GATE.lock();
        let nth = gate.threads[me].answers;
        gate.threads[me].answers += 1;
        gate.plan.answer(me as u32, nth)
    };
    let Some(answer) = answer else { report::error("a system call that was not recorded") };
    if !to.is_null() && !answer.bytes.is_empty() {
        alloc::check(me, to as usize, answer.bytes.len());
        // SAFETY: checked; a wild pointer faults, which `signals` reports. Nobody else runs.
        unsafe { to.copy_from_nonoverlapping(answer.bytes.as_ptr(), answer.bytes.len()) };
    }
    Some(answer.result)
}
