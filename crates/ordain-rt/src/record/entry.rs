//! Where the process starts: the runtime's `main`, around the program's. `ORDAIN_LOG` names the directory of the log;
//! `ORDAIN_LOG_BYTES` is how large it may get; `ORDAIN_SEED` is where the chance of store buffers begins.

use super::threads::{self, current};
use super::{end, log, outside, relaxed};
use crate::format::FUNCTIONS_FILE;
use crate::sys;
use core::ffi::{c_char, c_int};

unsafe extern "C" {
    /// The program's `main`, renamed. One that takes fewer arguments ignores the others.
    fn ordain_user_main(argc: c_int, argv: *mut *mut c_char, environment: *mut *mut c_char) -> c_int;
    /// Tells the program's own `getenv` where the environment is.
    fn ordain_rec_set_environment(environment: *mut *mut c_char);
    /// The program's functions and how many there are.
    static ordain_rec_functions: usize;
    static ordain_rec_functions_len: usize;
}

const VARIABLE: &core::ffi::CStr = c"ORDAIN_LOG";
const SIZE_VARIABLE: &core::ffi::CStr = c"ORDAIN_LOG_BYTES";
const SEED_VARIABLE: &core::ffi::CStr = c"ORDAIN_SEED";

#[unsafe(no_mangle)]
extern "C" fn main(argc: c_int, argv: *mut *mut c_char, environment: *mut *mut c_char) -> c_int {
    // Chance begins with what is given, if anything is.
    relaxed::set_seed(number(SEED_VARIABLE).unwrap_or(0));
    if let Some(bytes) = number(SIZE_VARIABLE) {
        log::limit(bytes);
    }
    start();
    // SAFETY: the variables are the runtime's; nobody has a pointer to them any more.
    unsafe {
        for variable in [VARIABLE, SIZE_VARIABLE, SEED_VARIABLE] {
            sys::unsetenv(variable.as_ptr());
        }
    }
    // SAFETY: vectors as the system passes them; the environment's has changed in place.
    let status = unsafe {
        if let Some(thread) = current() {
            outside::note_strings(thread, argv, environment);
        }
        ordain_rec_set_environment(environment);
        ordain_user_main(argc, argv, environment)
    };
    end::ordain_rec_exit(status)
}

/// The number that a variable of the environment has.
fn number(variable: &core::ffi::CStr) -> Option<u64> {
    let digits = log::variable(variable)?.iter().filter(|byte| byte.is_ascii_digit());
    Some(digits.fold(0, |number: u64, &byte| number.wrapping_mul(10).wrapping_add((byte - b'0').into())))
}

fn start() {
    let Some(directory) = log::variable(VARIABLE) else { give_up("ORDAIN_LOG does not name a directory") };
    // The variable goes away, and its memory with it, perhaps.
    let Some(copy) = sys::map_anonymous(directory.len().max(1), sys::PROT_READ | sys::PROT_WRITE) else {
        give_up("there is no memory")
    };
    // SAFETY: fresh memory of that size, which stays.
    let directory = unsafe {
        (copy as *mut u8).copy_from_nonoverlapping(directory.as_ptr(), directory.len());
        core::slice::from_raw_parts(copy as *const u8, directory.len())
    };
    threads::set_directory(directory);
    if !threads::begin_main() || !write_functions() {
        give_up("the log cannot be begun: is there a log already, or no room?");
    }
    end::catch_faults();
    // Streams have no buffers in the models, so that what was printed is not lost; output keeps its order.
    // SAFETY: output that the program has not used yet.
    unsafe { sys::setvbuf(sys::stdout, core::ptr::null_mut(), sys::IO_UNBUFFERED, 0) };
}

/// Where the functions of the program are in this process.
fn write_functions() -> bool {
    let Some(fd) = threads::file([FUNCTIONS_FILE.as_bytes(), b""]).and_then(|name| log::create(&name)) else {
        return false;
    };
    // SAFETY: a table of that many words. Written in one call: files take it whole or not at all.
    unsafe {
        let bytes = 8 * ordain_rec_functions_len;
        let written = sys::write(fd, (&raw const ordain_rec_functions).cast(), bytes);
        sys::close(fd);
        written == bytes as isize
    }
}

fn give_up(why: &str) -> ! {
    for part in ["ordain: ", why, "\n"] {
        // SAFETY: text of that length.
        unsafe { sys::write(2, part.as_ptr().cast(), part.len()) };
    }
    // SAFETY: ends the process.
    unsafe { sys::_exit(GAVE_UP) }
}

/// The status of a process that could not be recorded.
const GAVE_UP: c_int = 125;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    give_up("an internal error of the runtime")
}
