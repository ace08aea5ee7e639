//! Store buffers in software (`--memory tso`, `pso`): so that what a weak memory model allows happens in a recording, on any
//! processor and often enough to be seen.
//!
//! Every thread has a buffer of its own that nobody else touches, and makes its stores itself, when chance says so, when
//! the buffer is full, and before whatever orders stores: atomic updates, fences, and all that leads out of the program.
//! That is more often than in the machine (a thread's end, printing, `free`), so it shows less than the machine would and
//! nothing else. The instrumented program asks where an access is to be made, and makes it there: at its address, or, if
//! the buffer has something to do with it, in memory of the runtime's. Logs are the same as ever.
//!
//! The processor's own order of stores is that of TSO, and so hides nothing and adds nothing.

use super::threads::current;
use crate::buffer::{self, BufferedStore, MemoryModel, Order, StoreBuffer};
use crate::sys;
use core::sync::atomic::{AtomicU64, Ordering, fence};

unsafe extern "C" {
    /// The number of the memory model, a constant of the program.
    static ordain_rec_memory: u32;
}

/// Where chance begins.
static SEED: AtomicU64 = AtomicU64::new(0);

/// A buffer that holds more has to let one go.
const MOST_STORES: usize = 64;
/// One in how many accesses lets a store through: between these. Differs from thread to thread and from run to run, since
/// some outcomes need stores that are held back for long.
const LEAST_DELAY: u64 = 2;
const MOST_DELAY: u64 = 24;
/// One in how many accesses lets other threads go first, and one in how many waits for them: more often in the beginning,
/// for threads that do not have many.
const YIELD_EVERY: u64 = 64;
const PAUSE_EVERY: u64 = 1024;
const PAUSE_EVERY_AT_FIRST: u64 = 3;
const FIRST_ACCESSES: u32 = 48;
/// Long enough for a thread to begin, or for another to do what it has to do.
const MOST_YIELDS: u64 = 200;
const MOST_PAUSE_NANOSECONDS: u64 = 200_000;
/// What lies above the frames of the program on a thread's stack is less than this.
const STACK_MARGIN_BYTES: usize = 64 << 10;

pub fn set_seed(seed: u64) {
    SEED.store(seed, Ordering::Relaxed);
}

fn memory() -> MemoryModel {
    // SAFETY: a constant of the program.
    MemoryModel::from_number(unsafe { ordain_rec_memory }).unwrap_or(MemoryModel::Sc)
}

/// What one thread has stored and others do not see yet.
pub struct Relaxed {
    buffer: StoreBuffer,
    random: u64,
    delay: u64,
    accesses: u32,
    /// What a load reads that is not, or not only, in memory.
    forwarded: u64,
    /// Where stores go that are in the buffer.
    sink: u64,
    /// The program's frames are below.
    stack_top: usize,
}

impl Relaxed {
    pub fn new(name: &[u8]) -> Relaxed {
        // FNV-1a: threads are to have different luck.
        let hash = name
            .iter()
            .fold(0xcbf2_9ce4_8422_2325u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
        let here = 0u8;
        let stack_top = (&raw const here) as usize + STACK_MARGIN_BYTES;
        let random = SEED.load(Ordering::Relaxed) ^ hash;
        let buffer = StoreBuffer::new();
        let mut new = Relaxed { buffer, random, delay: 0, accesses: 0, forwarded: 0, sink: 0, stack_top };
        new.delay = LEAST_DELAY + new.below(MOST_DELAY - LEAST_DELAY);
        new
    }

    /// splitmix64
    fn next(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// Lets time pass, or not.
    pub fn pause(&mut self) {
        if memory() == MemoryModel::Sc || self.below(2) == 0 {
            return;
        }
        let _errno = sys::KeepErrno::new();
        if self.below(2) == 0 {
            for _ in 0..self.below(MOST_YIELDS) {
                // SAFETY: has no precondition.
                unsafe { sys::sched_yield() };
            }
            return;
        }
        let time = sys::TimeSpec { seconds: 0, nanoseconds: self.below(MOST_PAUSE_NANOSECONDS) as i64 };
        // SAFETY: a time, and no interest in what is left of it.
        unsafe { sys::nanosleep(&time, core::ptr::null_mut()) };
    }

    /// What happens beside an access.
    fn step(&mut self) {
        if !self.buffer.stores().is_empty() && self.below(self.delay) == 0 {
            self.commit_one();
        }
        self.accesses = self.accesses.saturating_add(1);
        let rare = if self.accesses <= FIRST_ACCESSES { PAUSE_EVERY_AT_FIRST } else { PAUSE_EVERY };
        if self.below(rare) == 0 {
            self.pause();
        } else if self.below(YIELD_EVERY) == 0 {
            // SAFETY: has no precondition.
            unsafe { sys::sched_yield() };
        }
    }

    /// One of the stores that may reach memory does. There must be one.
    fn commit_one(&mut self) {
        let count = self.buffer.stores().len() as u64;
        let any = self.below(count) as usize;
        // The oldest always may.
        let nth = if self.buffer.may_commit(memory(), any) { any } else { 0 };
        let store = self.buffer.take(nth);
        // SAFETY: the store that the program has made, and `store` has found to be one that can be made.
        unsafe { buffer::write(store.address, store.size, store.value) };
        // That it came before others is to be seen.
        if nth > 0 && self.accesses <= FIRST_ACCESSES {
            self.pause();
        }
    }

    /// Everything reaches memory.
    pub fn drain(&mut self) {
        if self.buffer.stores().is_empty() {
            return;
        }
        self.pause();
        while !self.buffer.stores().is_empty() {
            self.commit_one();
            if self.below(4) == 0 {
                self.pause();
            }
        }
    }

    fn store(&mut self, address: usize, size: usize, value: u64, order: Order) -> usize {
        probe(address, size);
        if self.buffer.stores().len() >= MOST_STORES {
            self.commit_one();
        }
        if !self.buffer.push(BufferedStore::new(address, size, value, order)) {
            self.drain();
            return address;
        }
        match order {
            Order::SeqCst => {
                self.drain();
                fence(Ordering::SeqCst);
            }
            Order::Nothing | Order::Release => self.step(),
        }
        (&raw mut self.sink) as usize
    }

    fn load(&mut self, address: usize, size: usize) -> usize {
        self.step();
        if !self.buffer.stores().iter().any(|store| store.overlaps(address, size)) {
            return address;
        }
        // SAFETY: the program is about to read there; a wild pointer faults here instead.
        self.forwarded = self.buffer.forward(address, size, unsafe { buffer::read(address, size) });
        (&raw mut self.forwarded) as usize
    }

    /// A frame goes away. What is to be stored on the stack has to be there before its memory is used for something else.
    fn leave_frame(&mut self) {
        let here = 0u8;
        let stack = (&raw const here) as usize..self.stack_top;
        if self.buffer.stores().iter().any(|store| stack.contains(&store.address)) {
            self.drain();
        }
    }
}

/// Faults if there cannot be written: now, not when the store reaches memory. Changes nothing, whatever others do.
fn probe(address: usize, size: usize) {
    for at in [address, address + size - 1] {
        // SAFETY: what is there stays as it is; that it cannot be written is what the program is to notice.
        unsafe { core::arch::asm!("lock or byte ptr [{}], 0", in(reg) at, options(nostack)) };
    }
}

/// The calling thread's stores reach memory.
pub fn drain_current() {
    if let Some(thread) = current() {
        thread.relaxed.drain();
    }
}

/// Where the program is to read `size` bytes, at most eight, that it finds at `address`.
#[unsafe(no_mangle)]
extern "C" fn ordain_memory_load(address: usize, size: usize) -> usize {
    current().map_or(address, |thread| thread.relaxed.load(address, size))
}

/// Where the program is to write what it stores at `address`.
#[unsafe(no_mangle)]
extern "C" fn ordain_memory_store(address: usize, size: usize, value: u64, order: u32) -> usize {
    current().map_or(address, |thread| thread.relaxed.store(address, size, value, Order::from_number(order)))
}

/// What follows orders stores, or cannot look into the buffer.
#[unsafe(no_mangle)]
extern "C" fn ordain_memory_drain() {
    if let Some(thread) = current() {
        thread.relaxed.step();
        thread.relaxed.drain();
    }
}

/// A fence, which the program makes itself as well.
#[unsafe(no_mangle)]
extern "C" fn ordain_memory_fence(order: u32) {
    let Some(thread) = current() else { return };
    match Order::from_number(order) {
        Order::SeqCst => thread.relaxed.drain(),
        Order::Release => thread.relaxed.buffer.fence(),
        Order::Nothing => {}
    }
}

#[unsafe(no_mangle)]
extern "C" fn ordain_memory_leave_frame() {
    if let Some(thread) = current() {
        thread.relaxed.leave_frame();
    }
}
