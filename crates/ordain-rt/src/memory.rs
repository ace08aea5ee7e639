//! Accesses to memory that others may see. Under TSO and PSO, stores go into the buffer of their thread, and from there to
//! memory when the schedule says so, or when the thread does what empties its buffer: as in the machine.
//!
//! One thread runs at a time, so memory is touched by plain reads and writes.

use crate::alloc;
use crate::buffer::{self, BufferedStore, MemoryModel, Order};
use crate::gate::{GATE, Gate};
use crate::point::enter;
use crate::report;
use crate::threads;
use core::sync::atomic::{AtomicBool, Ordering};

/// Whether there are store buffers at all.
static BUFFERED: AtomicBool = AtomicBool::new(false);

pub fn start(memory: MemoryModel) {
    BUFFERED.store(memory != MemoryModel::Sc, Ordering::Relaxed);
}

fn is_buffered() -> bool {
    BUFFERED.load(Ordering::Relaxed)
}

impl Gate {
    /// The `nth` store in the buffer of `thread` reaches memory, if it may.
    pub fn commit(&mut self, thread: usize, nth: usize) -> bool {
        let excluded = self.atomic.is_some_and(|(inside, _)| inside != thread);
        if excluded || !self.buffers[thread].may_commit(self.plan.memory, nth) {
            return false;
        }
        let store = self.buffers[thread].take(nth);
        make(&store);
        true
    }

    /// All stores of `thread` reach memory, in order.
    pub fn drain(&mut self, thread: usize) {
        while !self.buffers[thread].stores().is_empty() {
            make(&self.buffers[thread].take(0));
        }
    }
}

/// A store reaches memory. Its object may have died while it was in the buffer; then nobody can see it any more.
fn make(store: &BufferedStore) {
    if is_alive(store) {
        // SAFETY: what `issue` has found to be writable.
        unsafe { buffer::write(store.address, store.size, store.value) };
    }
}

/// All stores of thread `me` reach memory: it is at a point that empties its buffer.
pub fn drain(me: usize) {
    if is_buffered() {
        GATE.lock().drain(me);
    }
}

/// A store that has been checked goes to memory, or into the buffer of thread `me`.
pub fn issue(me: usize, address: usize, size: usize, value: u64, order: Order) {
    if !is_buffered() {
        // SAFETY: checked; a wild pointer faults, which `signals` reports.
        unsafe { buffer::write(address, size, value) };
        return;
    }
    // Wild pointers fault now, not when the store reaches memory.
    // SAFETY: as above. Writes what is there, while nobody else runs.
    unsafe { buffer::write(address, size, buffer::read(address, size)) };
    let mut gate = GATE.lock();
    if !gate.buffers[me].push(BufferedStore::new(address, size, value & mask(size), order)) {
        report::error("no memory for a store buffer");
    }
    if order == Order::SeqCst {
        gate.drain(me);
    }
}

fn mask(size: usize) -> u64 {
    if size >= buffer::MOST_BYTES { u64::MAX } else { (1 << (8 * size)) - 1 }
}

/// A point that reads at most eight bytes.
#[unsafe(no_mangle)]
extern "C" fn ordain_rt_load(point: u32, address: usize, size: usize) -> u64 {
    let me = enter(point);
    alloc::check(me, address, size);
    // SAFETY: checked; a wild pointer faults, which `signals` reports.
    let value = unsafe { buffer::read(address, size) };
    if is_buffered() { GATE.lock().buffers[me].forward(address, size, value) } else { value }
}

/// A point that writes at most eight bytes.
#[unsafe(no_mangle)]
extern "C" fn ordain_rt_store(point: u32, address: usize, size: usize, value: u64, order: u32) {
    let me = enter(point);
    GATE.lock().note_change();
    alloc::check(me, address, size);
    issue(me, address, size, value, Order::from_number(order));
}

/// A point that reads `size` bytes of memory and may write them at the same time; the program does so itself.
#[unsafe(no_mangle)]
extern "C" fn ordain_rt_update(point: u32, address: usize, size: usize) {
    let me = enter(point);
    alloc::check(me, address, size);
    drain(me);
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rt_fence(point: u32, order: u32) {
    let me = enter(point);
    match Order::from_number(order) {
        Order::SeqCst => drain(me),
        Order::Release if is_buffered() => GATE.lock().buffers[me].fence(),
        Order::Release | Order::Nothing => {}
    }
}

/// A point that is a system call: others see what the thread has stored.
#[unsafe(no_mangle)]
extern "C" fn ordain_rt_system(point: u32) {
    let me = enter(point);
    drain(me);
}

/// A point at which the C library prints: it has to see what the thread has stored, and nobody else. What it writes itself
/// reaches memory at once, as in the machine.
#[unsafe(no_mangle)]
extern "C" fn ordain_rt_print_begin(point: u32) {
    let me = enter(point);
    if is_buffered() {
        // SAFETY: `issue` has found those places to be writable, and they are alive.
        unsafe { GATE.lock().buffers[me].show(is_alive) };
    }
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rt_print_end() {
    if is_buffered() {
        // SAFETY: as above; the thread is inside of its point.
        unsafe { GATE.lock().buffers[threads::current()].hide(is_alive) };
    }
}

fn is_alive(store: &BufferedStore) -> bool {
    alloc::verdict(store.address, store.size).is_none()
}
