//! What enters from outside: noted in the data of the thread that it came to.
//!
//! System calls are made by `kernel`; the instrumented program reports what they returned and wrote. Time and chance are
//! the system's own here, unlike in a replay.

use super::threads::{Thread, current};
use crate::format::Tag;
use crate::sys;
use core::ffi::{CStr, c_char, c_int, c_long, c_void};

/// A system call returned `result`, and wrote `size` bytes.
#[unsafe(no_mangle)]
extern "C" fn ordain_rec_system(result: c_long, written: *const u8, size: usize) {
    let _errno = sys::KeepErrno::new();
    if let Some(thread) = current() {
        let bytes: &[u8] = if written.is_null() || size == 0 {
            &[]
        } else {
            // SAFETY: what the kernel has just written, by its own account.
            unsafe { core::slice::from_raw_parts(written, size) }
        };
        thread.note_data(Tag::System as u32, &[&result.to_le_bytes(), bytes]);
    }
}

/// A library function returned `result`.
#[unsafe(no_mangle)]
extern "C" fn ordain_rec_native(result: u64) {
    let _errno = sys::KeepErrno::new();
    if let Some(thread) = current() {
        thread.note_data(Tag::Native as u32, &[&result.to_le_bytes()]);
    }
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rec_clock() -> c_long {
    let mut time = sys::TimeSpec { seconds: 0, nanoseconds: 0 };
    // SAFETY: fills in the time.
    unsafe { sys::clock_gettime(sys::CLOCK_REALTIME, &mut time) };
    time.seconds * 1_000_000_000 + time.nanoseconds
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rec_random(to: *mut u8, size: usize) -> c_long {
    let mut done = 0;
    while done < size {
        // SAFETY: the program's buffer; the kernel checks the address.
        let count = unsafe { sys::getrandom(to.add(done).cast(), size - done, 0) };
        if count <= 0 {
            break;
        }
        done += count as usize;
    }
    done as c_long
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rec_sleep(nanoseconds: u64) -> c_int {
    let time = sys::TimeSpec {
        seconds: (nanoseconds / 1_000_000_000) as i64,
        nanoseconds: (nanoseconds % 1_000_000_000) as i64,
    };
    // SAFETY: a time, and no interest in what is left of it.
    unsafe { sys::nanosleep(&time, core::ptr::null_mut()) }
}

/// Inputs that the program asks for by name are whatever comes: a run is one of many.
#[unsafe(no_mangle)]
extern "C" fn ordain_rec_input_bytes(to: *mut u8, size: usize) {
    ordain_rec_random(to, size);
    if let Some(thread) = current() {
        // SAFETY: the program's buffer, which was just filled.
        thread.note_data(Tag::Input as u32, &[unsafe { core::slice::from_raw_parts(to, size) }]);
    }
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rec_input_value() -> u64 {
    let mut value = [0u8; 8];
    ordain_rec_input_bytes(value.as_mut_ptr(), value.len());
    u64::from_le_bytes(value)
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rec_allocate(alignment: usize, size: usize) -> *mut c_void {
    let mut place = core::ptr::null_mut();
    // SAFETY: fills in the address, or returns an error.
    match unsafe { sys::posix_memalign(&mut place, alignment.max(size_of::<usize>()), size) } {
        0 => place,
        _ => core::ptr::null_mut(),
    }
}

/// Notes the arguments and the environment.
///
/// # Safety
/// Both are vectors of C strings that end with a null pointer.
pub unsafe fn note_strings(thread: &mut Thread, arguments: *mut *mut c_char, environment: *mut *mut c_char) {
    for (tag, vector) in [(Tag::Arguments, arguments), (Tag::Environment, environment)] {
        let mut nth = 0;
        // SAFETY: up to the null pointer.
        unsafe {
            while !(*vector.add(nth)).is_null() {
                thread.note_data(tag as u32, &[CStr::from_ptr(*vector.add(nth)).to_bytes_with_nul()]);
                nth += 1;
            }
        }
    }
}
