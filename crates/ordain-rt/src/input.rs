//! Inputs: the nth that a thread asks for comes from the plan, zero where the plan has none.

use crate::alloc;
use crate::gate::GATE;
use crate::point::enter;
use core::ffi::c_void;

fn next_input(me: usize) -> &'static [u8] {
    let mut gate = GATE.lock();
    let nth = gate.threads[me].inputs;
    gate.threads[me].inputs += 1;
    gate.plan.input(me as u32, nth)
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rt_input_bytes(point: u32, out: *mut c_void, size: usize) {
    let me = enter(point);
    alloc::check(me, out as usize, size);
    let bytes = next_input(me);
    let known = bytes.len().min(size);
    let out = out.cast::<u8>();
    // SAFETY: `out` is the program's and was checked; a wild pointer faults, which `signals` reports. The plan is apart.
    unsafe {
        out.copy_from_nonoverlapping(bytes.as_ptr(), known);
        out.add(known).write_bytes(0, size - known);
    }
}

/// The value is little-endian; the caller keeps as many of its bits as it asked for.
#[unsafe(no_mangle)]
extern "C" fn ordain_rt_input_value(point: u32) -> u64 {
    let me = enter(point);
    next_input(me).iter().take(8).rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}
