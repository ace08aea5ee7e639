//! System calls of models, natively: the kernel's own, on the files of the process.
//!
//! They return what the kernel returns, unless the plan has their answers (`answers`). Time and chance are as virtual as in
//! the machine, so that a replay sees the same. Each call is a point of the program, so that only one thread at a time is in here.

use crate::answers;
use crate::lock::Lock;
use core::arch::asm;
use core::ffi::{c_char, c_int, c_long, c_void};
use core::ptr::null_mut;

const AT_EMPTY_PATH: c_int = 0x1000;
const F_DUPFD: c_long = 0;
const F_GETFL: c_long = 3;
const F_SETFL: c_long = 4;
const SEEK_SET: c_int = 0;
const DIRENT_BYTES: usize = 280;
/// Where a `struct dirent` says where the next one is.
const DIRENT_NEXT: usize = 8;

/// Numbers of x86-64 Linux.
mod number {
    pub const READ: isize = 0;
    pub const WRITE: isize = 1;
    pub const CLOSE: isize = 3;
    pub const LSEEK: isize = 8;
    pub const PREAD: isize = 17;
    pub const PWRITE: isize = 18;
    pub const PIPE: isize = 22;
    pub const DUP2: isize = 33;
    pub const FCNTL: isize = 72;
    pub const FTRUNCATE: isize = 77;
    pub const GETCWD: isize = 79;
    pub const CHDIR: isize = 80;
    pub const FCHMOD: isize = 91;
    pub const GETDENTS: isize = 217;
    pub const OPENAT: isize = 257;
    pub const MKDIRAT: isize = 258;
    pub const NEWFSTATAT: isize = 262;
    pub const UNLINKAT: isize = 263;
    pub const RENAMEAT: isize = 264;
    pub const READLINKAT: isize = 267;
    pub const FCHMODAT: isize = 268;
    pub const FACCESSAT: isize = 269;
    pub const UTIMENSAT: isize = 280;
}

fn call(number: isize, arguments: [isize; 4]) -> c_long {
    let result: isize;
    let [a, b, c, d] = arguments;
    // SAFETY: what the program asks for; the kernel checks the addresses that it is given.
    unsafe {
        asm!("syscall", inlateout("rax") number => result, in("rdi") a, in("rsi") b, in("rdx") c, in("r10") d,
             out("rcx") _, out("r11") _, options(nostack));
    }
    result as c_long
}

/// Arguments as the kernel takes them: numbers keep their sign.
trait Word: Copy {
    fn word(self) -> isize;
}

impl Word for c_int {
    fn word(self) -> isize {
        self as isize
    }
}

impl Word for c_long {
    fn word(self) -> isize {
        self as isize
    }
}

impl Word for usize {
    fn word(self) -> isize {
        self as isize
    }
}

impl<T> Word for *const T {
    fn word(self) -> isize {
        self as isize
    }
}

impl<T> Word for *mut T {
    fn word(self) -> isize {
        self as isize
    }
}

macro_rules! forward {
    ($($name:ident($($argument:ident: $ty:ty),*) = $number:ident $(writes $to:ident)?;)*) => {$(
        #[unsafe(no_mangle)]
        extern "C" fn $name($($argument: $ty),*) -> c_long {
            #[allow(unused_mut, unused_assignments)]
            let mut to = null_mut::<u8>();
            $(to = $to.cast();)?
            if let Some(answer) = answers::next(to) {
                return answer;
            }
            let mut words = [0; 4];
            let given = [$($argument.word()),*];
            words[..given.len()].copy_from_slice(&given);
            call(number::$number, words)
        }
    )*};
}

forward! {
    ordain_sys_open(directory: c_int, path: *const c_char, flags: c_int, mode: c_int) = OPENAT;
    ordain_sys_close(fd: c_int) = CLOSE;
    ordain_sys_read(fd: c_int, to: *mut c_void, size: usize) = READ writes to;
    ordain_sys_read_at(fd: c_int, to: *mut c_void, size: usize, offset: c_long) = PREAD writes to;
    ordain_sys_write_at(fd: c_int, from: *const c_void, size: usize, offset: c_long) = PWRITE;
    ordain_sys_seek(fd: c_int, offset: c_long, whence: c_int) = LSEEK;
    ordain_sys_truncate(fd: c_int, size: c_long) = FTRUNCATE;
    ordain_sys_unlink(directory: c_int, path: *const c_char, flags: c_int) = UNLINKAT;
    ordain_sys_rename(directory: c_int, path: *const c_char, to: c_int, new: *const c_char) = RENAMEAT;
    ordain_sys_make_directory(directory: c_int, path: *const c_char, mode: c_int) = MKDIRAT;
    ordain_sys_set_times(directory: c_int, path: *const c_char, times: *const c_void, flags: c_int) = UTIMENSAT;
    ordain_sys_access(directory: c_int, path: *const c_char, mode: c_int) = FACCESSAT;
    ordain_sys_read_link(directory: c_int, path: *const c_char, target: *mut c_char, size: usize) = READLINKAT writes target;
    ordain_sys_duplicate_to(fd: c_int, to: c_int) = DUP2;
    ordain_sys_pipe(ends: *mut c_int) = PIPE writes ends;
    ordain_sys_working_directory(to: *mut c_char, size: usize) = GETCWD writes to;
    ordain_sys_change_directory(path: *const c_char) = CHDIR;
}

/// Calls that need more than to be passed on.
#[unsafe(no_mangle)]
extern "C" fn ordain_sys_write(fd: c_int, from: *const c_void, size: usize) -> c_long {
    let answer = answers::next(null_mut());
    // What was written to files is not written again; what is to be seen, is.
    if answer.is_some() && !SEEN.contains(&fd) {
        return answer.unwrap_or(0);
    }
    let written = call(number::WRITE, [fd.word(), from.word(), size.word(), 0]);
    answer.unwrap_or(written)
}

/// Standard output and standard error.
const SEEN: core::ops::RangeInclusive<c_int> = 1..=2;

#[unsafe(no_mangle)]
extern "C" fn ordain_sys_status(directory: c_int, path: *const c_char, to: *mut c_void, flags: c_int) -> c_long {
    answers::next(to.cast()).unwrap_or_else(|| {
        let (path, flags) = if path.is_null() { (c"".as_ptr(), flags | AT_EMPTY_PATH) } else { (path, flags) };
        call(number::NEWFSTATAT, [directory.word(), path.word(), to.word(), flags.word()])
    })
}

#[unsafe(no_mangle)]
extern "C" fn ordain_sys_change_mode(directory: c_int, path: *const c_char, mode: c_int) -> c_long {
    answers::next(null_mut()).unwrap_or_else(|| match path.is_null() {
        true => call(number::FCHMOD, [directory.word(), mode.word(), 0, 0]),
        false => call(number::FCHMODAT, [directory.word(), path.word(), mode.word(), 0]),
    })
}

/// The kernel hands out as many entries as fit; all but the first are asked for again.
#[unsafe(no_mangle)]
extern "C" fn ordain_sys_next_entry(fd: c_int, to: *mut u8) -> c_long {
    answers::next(to).unwrap_or_else(|| {
        let count = call(number::GETDENTS, [fd.word(), to.word(), DIRENT_BYTES.word(), 0]);
        if count <= 0 {
            return count;
        }
        // SAFETY: the kernel has filled in at least one entry.
        let next = unsafe { to.add(DIRENT_NEXT).cast::<c_long>().read_unaligned() };
        call(number::LSEEK, [fd.word(), next.word(), SEEK_SET.word(), 0]).min(0) + 1
    })
}

/// A request to `fcntl`.
fn control(fd: c_int, request: c_long, argument: c_int) -> c_long {
    answers::next(null_mut()).unwrap_or_else(|| call(number::FCNTL, [fd.word(), request.word(), argument.word(), 0]))
}

#[unsafe(no_mangle)]
extern "C" fn ordain_sys_duplicate(fd: c_int, least: c_int) -> c_long {
    control(fd, F_DUPFD, least)
}

#[unsafe(no_mangle)]
extern "C" fn ordain_sys_flags(fd: c_int) -> c_long {
    control(fd, F_GETFL, 0)
}

#[unsafe(no_mangle)]
extern "C" fn ordain_sys_set_flags(fd: c_int, flags: c_int) -> c_long {
    control(fd, F_SETFL, flags)
}

/// Nanoseconds since 1970, as in the machine: time passes by sleeping and by looking at the clock.
static TIME: Lock<i64> = Lock::new(1_700_000_000 * 1_000_000_000);
const TICK_NANOSECONDS: i64 = 1_000;

#[unsafe(no_mangle)]
extern "C" fn ordain_sys_clock() -> c_long {
    answers::next(null_mut()).unwrap_or_else(|| {
        let mut time = TIME.lock();
        *time += TICK_NANOSECONDS;
        *time
    })
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rt_sleep(_place: u32, nanoseconds: i64) {
    let mut time = TIME.lock();
    *time = time.saturating_add(nanoseconds);
}

/// The machine's generator of random numbers (splitmix64), from the same start.
static RANDOM: Lock<u64> = Lock::new(0x6f72_6461_696e);

#[unsafe(no_mangle)]
extern "C" fn ordain_sys_random(to: *mut u8, size: usize) -> c_long {
    if let Some(answer) = answers::next(to) {
        return answer;
    }
    let mut state = RANDOM.lock();
    for i in 0..size {
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = *state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        // SAFETY: the program's buffer, of that size; a wild pointer faults, which `signals` reports.
        unsafe { to.add(i).write((z ^ (z >> 31)) as u8) };
    }
    size as c_long
}

unsafe extern "C" {
    fn strtod(text: *const c_char, end: *mut *mut c_char) -> f64;
    fn strtof(text: *const c_char, end: *mut *mut c_char) -> f32;
}

#[unsafe(no_mangle)]
extern "C" fn ordain_sys_parse_double(text: *const c_char) -> c_long {
    // SAFETY: the model passes a text with an end.
    unsafe { strtod(text, core::ptr::null_mut()) }.to_bits() as c_long
}

#[unsafe(no_mangle)]
extern "C" fn ordain_sys_parse_float(text: *const c_char) -> c_long {
    // SAFETY: as above.
    unsafe { strtof(text, core::ptr::null_mut()) }.to_bits() as c_long
}
