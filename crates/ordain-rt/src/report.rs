//! One line says how the run ended; `ordain-instrument` reads it.
//!
//! ```text
//! failure KIND THREAD POINT        something failed
//! fault KIND THREAD POINT          the same, somewhere after that point
//! exit STATUS THREAD               the process ended as it should
//! early STATUS THREAD              the same, before the schedule was over
//! deadlock THREAD:POINT …          these threads wait for each other
//! hang THREAD:POINT …              these threads loop, or wait for threads that do
//! end THREAD:POINT …               the schedule is over, nothing failed
//! diverged TURN WHY THREAD POINT   WHY is ended, absent, blocked, or unbuffered (of a store)
//! assume THREAD                    an assumption did not hold
//! error TEXT                       the runtime cannot go on
//! ```

use crate::failure::Kind;
use crate::gate::{Gate, NO_POINT};
use crate::sys;
use core::ffi::{CStr, c_int};
use core::sync::atomic::{AtomicBool, AtomicI32, Ordering};

const LINE_BYTES: usize = 4096;
/// Names that the system has for threads are no longer, their end included.
const OS_NAME_BYTES: usize = 16;
/// For people who run a replay binary by hand: the standard error.
const DEFAULT_FD: c_int = 2;

static RESULT: AtomicI32 = AtomicI32::new(DEFAULT_FD);
static DONE: AtomicBool = AtomicBool::new(false);
/// Whether a debugger waits for the end.
static DEBUGGED: AtomicBool = AtomicBool::new(false);

/// Sets where the line goes.
pub fn open(path: &CStr) {
    // SAFETY: a path that is a C string.
    let fd = unsafe { sys::open(path.as_ptr(), sys::O_WRONLY | sys::O_CLOEXEC) };
    if fd >= 0 {
        RESULT.store(fd, Ordering::Relaxed);
    }
}

/// The process runs in a debugger, which wants to see how it ends.
pub fn expect_debugger() {
    DEBUGGED.store(true, Ordering::Relaxed);
}

pub fn is_debugged() -> bool {
    DEBUGGED.load(Ordering::Relaxed)
}

/// Where debuggers have a breakpoint: the run is over, and every thread is where the schedule leaves it.
#[inline(never)]
#[unsafe(no_mangle)]
extern "C" fn ordain_replay_over() {
    // A call of a function that does nothing would not be made.
    // SAFETY: does nothing.
    unsafe { core::arch::asm!("nop", options(nomem, nostack, preserves_flags)) };
}

/// For a debugger: the calling thread is shown under the name that witnesses have for it.
pub fn name_calling_thread(gate: &Gate, number: usize) {
    let mut line = Line::new("");
    line.thread(gate, number);
    line.bytes[line.len.min(OS_NAME_BYTES - 1)] = 0;
    // SAFETY: the calling thread, and a text with an end.
    unsafe { sys::pthread_setname_np(sys::pthread_self(), line.bytes.as_ptr().cast()) };
}

pub fn failure(gate: &Gate, thread: usize, kind: Kind) -> ! {
    failed("failure ", gate, thread, kind)
}

pub fn fault(gate: &Gate, thread: usize, kind: Kind) -> ! {
    failed("fault ", gate, thread, kind)
}

fn failed(word: &str, gate: &Gate, thread: usize, kind: Kind) -> ! {
    let mut line = Line::new(word);
    line.text(kind.name()).text(" ").thread(gate, thread).text(" ").point(gate, thread);
    line.finish()
}

pub fn exit(gate: &Gate, thread: usize, status: c_int) {
    let mut line = Line::new(if gate.is_in_last_point() { "exit " } else { "early " });
    line.number(status as u32 & 0xff).text(" ").thread(gate, thread);
    line.write();
}

pub fn standstill(word: &str, gate: &Gate, threads: impl Iterator<Item = usize>) -> ! {
    let mut line = Line::new(word);
    for t in threads {
        line.text(" ").thread(gate, t).text(":").point(gate, t);
    }
    line.finish()
}

pub fn diverged(gate: &Gate, thread: usize, why: &str) -> ! {
    let mut line = Line::new("diverged ");
    line.number(gate.turn() as u32).text(" ").text(why).text(" ").planned_thread(gate, thread);
    line.text(" ").point(gate, thread);
    line.finish()
}

pub fn broken_assumption(gate: &Gate, thread: usize) -> ! {
    let mut line = Line::new("assume ");
    line.thread(gate, thread);
    line.finish()
}

pub fn error(text: &str) -> ! {
    let mut line = Line::new("error ");
    line.text(text);
    line.finish()
}

/// Text in a fixed buffer (no allocation: this also runs in signal handlers); what does not fit is cut off.
struct Line {
    bytes: [u8; LINE_BYTES],
    len: usize,
}

impl Line {
    fn new(text: &str) -> Line {
        let mut line = Line { bytes: [0; LINE_BYTES], len: 0 };
        line.text(text);
        line
    }

    fn text(&mut self, text: &str) -> &mut Line {
        let n = text.len().min(LINE_BYTES - 1 - self.len);
        self.bytes[self.len..self.len + n].copy_from_slice(&text.as_bytes()[..n]);
        self.len += n;
        self
    }

    fn number(&mut self, n: u32) -> &mut Line {
        let mut digits = [0u8; 10];
        let mut at = digits.len();
        let mut rest = n;
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.text(core::str::from_utf8(&digits[at..]).unwrap_or("?"))
    }

    fn point(&mut self, gate: &Gate, thread: usize) -> &mut Line {
        match gate.threads[thread].point {
            NO_POINT => self.text("-"),
            point => self.number(point),
        }
    }

    /// The name of a thread that exists: its ancestors' numbers.
    fn thread(&mut self, gate: &Gate, thread: usize) -> &mut Line {
        if thread == 0 {
            return self.text("0");
        }
        let t = &gate.threads[thread];
        self.thread(gate, t.parent as usize).text(".").number(t.nth)
    }

    /// The same for a thread that may exist only in the plan.
    fn planned_thread(&mut self, gate: &Gate, thread: usize) -> &mut Line {
        match gate.plan.parent(thread) {
            Some((parent, nth)) => self.planned_thread(gate, parent).text(".").number(nth),
            None => self.text("0"),
        }
    }

    /// Writes the line, unless another thread wrote one before: the first outcome counts.
    fn write(&mut self) {
        if DONE.swap(true, Ordering::Relaxed) {
            return;
        }
        self.bytes[self.len] = b'\n';
        // SAFETY: the bytes are initialised up to and including the line's end. One call: a short write of so
        // few bytes to a file does not happen.
        unsafe { sys::write(RESULT.load(Ordering::Relaxed), self.bytes.as_ptr().cast(), self.len + 1) };
        ordain_replay_over();
    }

    fn finish(&mut self) -> ! {
        self.write();
        // SAFETY: the process ends at once, whatever the other threads do.
        unsafe { sys::_exit(0) }
    }
}
