//! Where the process starts: the runtime's `main`, around the program's.
//!
//! The environment says what to do: `ORDAIN_PLAN` names the plan, `ORDAIN_RESULT` the file for the line about the end
//! (standard error without), and with `ORDAIN_DEBUG` a debugger sees the end: threads have names, and all stand still there.

use crate::alloc::{ARENA, ObjectId, Region};
use crate::gate::GATE;
use crate::globals::{self, Global};
use crate::plan::Plan;
use crate::{alloc, gate, process, report, signals, sys, threads};
use core::ffi::{CStr, c_char, c_int};

unsafe extern "C" {
    /// The program's `main`, renamed. One that takes fewer arguments ignores the others.
    fn ordain_user_main(argc: c_int, argv: *mut *mut c_char, environment: *mut *mut c_char) -> c_int;
    /// Tells the program's own `getenv` where the environment is.
    fn ordain_rt_set_environment(environment: *mut *mut c_char);
    /// The table of globals and its length, emitted by `ordain-instrument`.
    static mut ordain_globals: Global;
    static ordain_globals_len: usize;
}

#[unsafe(no_mangle)]
extern "C" fn main(argc: c_int, argv: *mut *mut c_char, _environment: *mut *mut c_char) -> c_int {
    let plan = start();
    let environment = environment(&plan);
    // SAFETY: the program's own main, with arguments of the form that the system passes.
    let status = unsafe {
        ordain_rt_set_environment(environment);
        ordain_user_main(argc, arguments(argc, argv), environment)
    };
    process::ordain_rt_exit(END_OF_MAIN, status)
}

/// The place of the exit that follows the program's `main`: none in the source.
const END_OF_MAIN: u32 = gate::NO_POINT;
/// What programs find as their own name, in the machine as well.
const PROGRAM_NAME: &CStr = c"program";
const ARGUMENT_ALIGN: usize = 16;

/// Makes everything ready; the plan.
fn start() -> Plan {
    if let Some(path) = variable(c"ORDAIN_RESULT") {
        report::open(path);
    }
    if variable(c"ORDAIN_DEBUG").is_some() {
        report::expect_debugger();
        close_standard_input();
    }
    let Some(plan) = variable(c"ORDAIN_PLAN").and_then(Plan::load) else {
        report::error("ORDAIN_PLAN does not name a plan of this version")
    };
    // SAFETY: output that the program has not used yet; the table of globals is used by nobody else.
    unsafe {
        // What was printed must not be lost when the process ends at a failure.
        sys::setvbuf(sys::stdout, core::ptr::null_mut(), sys::IO_UNBUFFERED, 0);
        globals::start(core::slice::from_raw_parts_mut(&raw mut ordain_globals, ordain_globals_len));
    }
    alloc::start();
    threads::start();
    gate::start(plan);
    signals::start();
    if report::is_debugged() {
        report::name_calling_thread(&GATE.lock(), 0);
    }
    plan
}

/// As in other replays there is nothing to be read: what is typed is for the debugger.
fn close_standard_input() {
    const STANDARD_INPUT: c_int = 0;
    // SAFETY: nobody has read from it; the first free number is the one that was just given up.
    unsafe {
        sys::close(STANDARD_INPUT);
        sys::open(c"/dev/null".as_ptr(), sys::O_RDONLY);
    }
}

/// The arguments as objects, so that running over the end of one is noticed.
fn arguments(argc: c_int, argv: *mut *mut c_char) -> *mut *mut c_char {
    let text = |i: usize| {
        // SAFETY: the system passes `argc` strings.
        let text = if i == 0 { PROGRAM_NAME } else { unsafe { CStr::from_ptr(*argv.add(i)) } };
        text.to_bytes_with_nul()
    };
    vector((0..argc as usize).map(text))
}

/// Programs under replay have the environment of the run that was recorded, or none.
fn environment(plan: &Plan) -> *mut *mut c_char {
    vector(plan.variables())
}

/// Texts, each with its end, as objects, and a vector of pointers to them.
fn vector<'t>(texts: impl ExactSizeIterator<Item = &'t [u8]>) -> *mut *mut c_char {
    let vector = object((texts.len() + 1) * size_of::<*mut c_char>()) as *mut *mut c_char;
    for (i, text) in texts.enumerate() {
        // SAFETY: there is room for the text, and for as many pointers as there are texts.
        unsafe {
            let copy = object(text.len()) as *mut u8;
            copy.copy_from_nonoverlapping(text.as_ptr(), text.len());
            *vector.add(i) = copy.cast();
        }
    }
    vector
}

/// Zeroed memory that the program may not free.
fn object(size: usize) -> usize {
    ARENA.lock().allocate(Region::Stack { below: ObjectId::NONE }, size, ARGUMENT_ALIGN).1
}

fn variable(name: &CStr) -> Option<&'static CStr> {
    // SAFETY: nobody changes the environment before the program's main; later, the strings of names that the
    // program does not know stay.
    unsafe {
        let value = sys::getenv(name.as_ptr());
        (!value.is_null()).then(|| CStr::from_ptr(value))
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    report::error("an internal error of the runtime")
}
