//! Inputs: the nth that a thread asks for comes from the plan, zero where the plan has none.

use crate::alloc;
use crate::buffer::{MOST_BYTES, Order};
use crate::gate::GATE;
use crate::memory;
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
    // In pieces, as the machine writes them: each is a store of its own, if there are store buffers.
    for start in (0..size).step_by(MOST_BYTES) {
        let mut value = [0; MOST_BYTES];
        let known = bytes.get(start..).unwrap_or_default();
        let count = known.len().min(MOST_BYTES);
        value[..count].copy_from_slice(&known[..count]);
        let piece = (size - start).min(MOST_BYTES);
        memory::issue(me, out as usize + start, piece, u64::from_le_bytes(value), Order::Nothing);
    }
}

/// The value is little-endian; the caller keeps as many of its bits as it asked for.
#[unsafe(no_mangle)]
extern "C" fn ordain_rt_input_value(point: u32) -> u64 {
    let me = enter(point);
    next_input(me).iter().take(8).rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}
