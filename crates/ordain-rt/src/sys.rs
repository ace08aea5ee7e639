//! The few functions, types and numbers of libc that the runtime needs (x86-64 Linux, glibc).

use core::ffi::{c_char, c_int, c_long, c_void};

pub const O_RDONLY: c_int = 0;
pub const O_WRONLY: c_int = 1;
pub const O_RDWR: c_int = 2;
pub const O_CREAT: c_int = 0o100;
pub const O_EXCL: c_int = 0o200;
pub const O_CLOEXEC: c_int = 0o2000000;
pub const PROT_NONE: c_int = 0;
pub const PROT_READ: c_int = 1;
pub const PROT_WRITE: c_int = 2;
pub const MAP_SHARED: c_int = 1;
pub const MAP_PRIVATE: c_int = 2;
pub const MAP_FIXED: c_int = 0x10;
pub const MAP_ANONYMOUS: c_int = 0x20;
pub const MAP_NORESERVE: c_int = 0x4000;
pub const MADV_DONTNEED: c_int = 4;
pub const SEEK_END: c_int = 2;
pub const SIGILL: c_int = 4;
pub const SIGTRAP: c_int = 5;
pub const SIGABRT: c_int = 6;
pub const SIGBUS: c_int = 7;
pub const SIGFPE: c_int = 8;
pub const SIGSEGV: c_int = 11;
pub const SA_SIGINFO: c_int = 4;
pub const SA_ONSTACK: c_int = 0x0800_0000;
pub const SA_RESETHAND: c_int = 0x8000_0000_u32 as c_int;
pub const CLOCK_REALTIME: c_int = 0;
pub const IO_UNBUFFERED: c_int = 2;
const SYS_FUTEX: c_long = 202;
const FUTEX_WAIT_PRIVATE: c_int = 128;
const FUTEX_WAKE_PRIVATE: c_int = 129;

pub type ThreadStart = extern "C" fn(*mut c_void) -> *mut c_void;
pub type OsThread = u64;

#[repr(C)]
pub struct SigAction {
    pub handler: usize,
    pub mask: [u64; 16],
    pub flags: c_int,
    pub restorer: usize,
}

/// The start of `siginfo_t`, as far as it is the same for all the signals of faults.
#[repr(C)]
pub struct SigInfo {
    pub signal: c_int,
    pub errno: c_int,
    pub code: c_int,
    _pad: c_int,
    pub address: usize,
}

/// `stack_t`
#[repr(C)]
pub struct SignalStack {
    pub base: usize,
    pub flags: c_int,
    pub size: usize,
}

#[repr(C)]
pub struct TimeSpec {
    pub seconds: i64,
    pub nanoseconds: i64,
}

pub type ForkHandler = Option<extern "C" fn()>;

unsafe extern "C" {
    fn __errno_location() -> *mut c_int;
    pub fn sched_yield() -> c_int;
    pub fn pthread_setname_np(thread: OsThread, name: *const c_char) -> c_int;
    pub fn open(path: *const c_char, flags: c_int, ...) -> c_int;
    pub fn close(fd: c_int) -> c_int;
    pub fn lseek(fd: c_int, offset: i64, whence: c_int) -> i64;
    pub fn write(fd: c_int, bytes: *const c_void, count: usize) -> isize;
    pub fn pwrite(fd: c_int, bytes: *const c_void, count: usize, offset: i64) -> isize;
    pub fn mmap(at: *mut c_void, len: usize, prot: c_int, flags: c_int, fd: c_int, offset: i64) -> *mut c_void;
    pub fn munmap(at: *mut c_void, len: usize) -> c_int;
    pub fn posix_fallocate(fd: c_int, offset: i64, len: i64) -> c_int;
    pub fn mprotect(at: *mut c_void, len: usize, prot: c_int) -> c_int;
    pub fn madvise(at: *mut c_void, len: usize, advice: c_int) -> c_int;
    pub fn getenv(name: *const c_char) -> *const c_char;
    pub fn unsetenv(name: *const c_char) -> c_int;
    pub fn posix_memalign(out: *mut *mut c_void, align: usize, size: usize) -> c_int;
    pub fn clock_gettime(clock: c_int, time: *mut TimeSpec) -> c_int;
    pub fn nanosleep(time: *const TimeSpec, left: *mut TimeSpec) -> c_int;
    pub fn getrandom(to: *mut c_void, size: usize, flags: u32) -> isize;
    pub fn abort() -> !;
    pub fn __assert_fail(text: *const c_char, file: *const c_char, line: u32, function: *const c_char) -> !;
    pub fn exit(status: c_int) -> !;
    pub fn _exit(status: c_int) -> !;
    pub fn sigaction(signal: c_int, new: *const SigAction, old: *mut SigAction) -> c_int;
    pub fn pthread_create(out: *mut OsThread, attr: *const c_void, start: ThreadStart, arg: *mut c_void) -> c_int;
    pub fn sigaltstack(new: *const SignalStack, old: *mut SignalStack) -> c_int;
    pub fn pthread_self() -> OsThread;
    pub fn pthread_atfork(before: ForkHandler, parent: ForkHandler, child: ForkHandler) -> c_int;
    pub fn pthread_detach(thread: OsThread) -> c_int;
    pub fn pthread_exit(value: *mut c_void) -> !;
    pub fn pthread_key_create(key: *mut u32, destructor: *const c_void) -> c_int;
    pub fn pthread_setspecific(key: u32, value: *const c_void) -> c_int;
    pub fn pthread_getspecific(key: u32) -> *mut c_void;
    pub fn setvbuf(stream: *mut c_void, buffer: *mut c_char, mode: c_int, size: usize) -> c_int;
    pub static stdout: *mut c_void;
    fn syscall(number: c_long, ...) -> c_long;
}

use core::sync::atomic::AtomicU32;

/// Sleeps as long as `word` holds `expected` (or a little less: callers look again).
pub fn futex_wait(word: &AtomicU32, expected: u32) {
    // SAFETY: the address is that of a live atomic, no timeout is given.
    unsafe { syscall(SYS_FUTEX, word.as_ptr(), FUTEX_WAIT_PRIVATE, expected, core::ptr::null::<c_void>()) };
}

/// Wakes one thread that sleeps on `word`.
pub fn futex_wake(word: &AtomicU32) {
    // SAFETY: the address is that of a live atomic.
    unsafe { syscall(SYS_FUTEX, word.as_ptr(), FUTEX_WAKE_PRIVATE, 1u32) };
}

/// Anonymous zeroed memory; `None` if there is not enough.
pub fn map_anonymous(len: usize, prot: c_int) -> Option<usize> {
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    // SAFETY: a new mapping at an address that the kernel chooses affects nothing that exists.
    let at = unsafe { mmap(core::ptr::null_mut(), len, prot, flags, -1, 0) } as usize;
    (at != usize::MAX).then_some(at)
}

/// As long as this lives, the program's `errno` is safe from what the runtime asks of the system.
pub struct KeepErrno(c_int);

impl KeepErrno {
    pub fn new() -> KeepErrno {
        // SAFETY: every thread has one.
        KeepErrno(unsafe { *__errno_location() })
    }
}

impl Drop for KeepErrno {
    fn drop(&mut self) {
        // SAFETY: as above.
        unsafe { *__errno_location() = self.0 };
    }
}

/// What the processor's counter says, which all of them share.
pub fn time() -> u64 {
    // SAFETY: every x86-64 processor has it.
    unsafe { core::arch::x86_64::_rdtsc() }
}
