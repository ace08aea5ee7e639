//! Threads: each has a name that follows from the order of creation, and a log of its own.

use super::log::{self, FileName, Log};
use super::relaxed::{self, Relaxed};
use crate::format::{
    DATA_SUFFIX, EMPTY_WORD, GRAIN_BYTES, Header, NAME_BYTES, PATH_SUFFIX, State, VALUES_SUFFIX, long_units,
};
use crate::sys::{self, OsThread};
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering};

unsafe extern "C" {
    /// The calling thread's own variables, which are part of the instrumented program.
    fn ordain_rec_self() -> *mut Local;
    /// The hash of the program.
    static ordain_rec_build: [u8; 32];
    /// Not zero if values are recorded.
    static ordain_rec_keeps_values: u64;
}

/// As `ordain-instrument` declares it.
#[repr(C)]
struct Local {
    /// Where the thread's path goes on.
    cursor: *mut u64,
    /// A `Thread`; null if nothing is recorded of the thread.
    thread: *mut c_void,
    /// Where the next value goes.
    values: *mut u32,
    /// The last time that was noted.
    time: u64,
}

/// What is known of a thread that is being recorded.
pub struct Thread {
    name: [u8; NAME_BYTES],
    name_len: usize,
    children: u32,
    path: Log,
    values: Option<Log>,
    data: Option<Log>,
    /// Where the next entry of the data goes.
    data_at: usize,
    /// Memory that takes the path when the log has no room left.
    scratch: usize,
    /// Where the thread's cursor was before it was recorded: memory that nobody reads.
    outside: *mut u64,
    pub relaxed: Relaxed,
}

/// The directory of the log.
static DIRECTORY: AtomicPtr<u8> = AtomicPtr::new(core::ptr::null_mut());
static DIRECTORY_LEN: AtomicUsize = AtomicUsize::new(0);
/// The main thread's header, which counts threads that have no log.
static MAIN: AtomicPtr<Header> = AtomicPtr::new(core::ptr::null_mut());

/// The directory; threads find it here.
pub fn set_directory(directory: &'static [u8]) {
    DIRECTORY_LEN.store(directory.len(), Ordering::Relaxed);
    DIRECTORY.store(directory.as_ptr().cast_mut(), Ordering::Release);
}

pub fn file(parts: [&[u8]; 2]) -> Option<FileName> {
    let start = DIRECTORY.load(Ordering::Acquire);
    if start.is_null() {
        return None;
    }
    // SAFETY: what `set_directory` was given, which lives for ever.
    let directory = unsafe { core::slice::from_raw_parts(start, DIRECTORY_LEN.load(Ordering::Relaxed)) };
    FileName::new(&[directory, b"/", parts[0], parts[1]])
}

/// The calling thread's, if it is recorded.
pub fn current() -> Option<&'static mut Thread> {
    // SAFETY: a thread's own variable; only the thread itself follows the pointer, and what it points to is never freed.
    unsafe { (*ordain_rec_self()).thread.cast::<Thread>().as_mut() }
}

/// Notes how the calling thread ends.
pub fn note_end(state: State, status: u32) {
    if let Some(thread) = current() {
        thread.note(state, status);
    }
}

impl Thread {
    fn header(&self) -> &'static mut Header {
        // SAFETY: the header stays mapped for ever, and only its own thread writes to it.
        unsafe { &mut *self.path.header() }
    }

    /// The first end that is noted counts: what comes after is its consequence.
    fn note(&mut self, state: State, status: u32) {
        let header = self.header();
        if header.state == State::Running as u32 {
            header.status = status;
            header.ended = sys::time();
            header.state = state as u32;
        }
    }

    pub fn note_fault(&mut self, signal: u32, pc: u64, address: u64) {
        let header = self.header();
        if header.state == State::Running as u32 {
            (header.fault_pc, header.fault_address) = (pc, address);
        }
        self.note(State::Faulted, signal);
    }

    fn begin(name: &[u8], entry: usize) -> Option<Thread> {
        // SAFETY: a constant of the program.
        let header = Header { began: sys::time(), ..log::header(unsafe { &ordain_rec_build }, name, entry) };
        let path = Log::begin(&file([name, PATH_SUFFIX.as_bytes()])?, header)?;
        // SAFETY: a constant of the program.
        let keeps_values = unsafe { ordain_rec_keeps_values } != 0;
        let values = match keeps_values {
            true => Some(Log::begin(&file([name, VALUES_SUFFIX.as_bytes()])?, header)?),
            false => None,
        };
        let mut own = [0; NAME_BYTES];
        own.get_mut(..name.len())?.copy_from_slice(name);
        Some(Thread {
            name: own,
            name_len: name.len(),
            children: 0,
            path,
            values,
            data: None,
            data_at: 0,
            scratch: 0,
            // SAFETY: the thread's own variable.
            outside: unsafe { (*ordain_rec_self()).cursor },
            relaxed: Relaxed::new(name),
        })
    }

    pub fn name(&self) -> &[u8] {
        &self.name[..self.name_len]
    }

    /// Appends to the data: a word about it, then bytes, filled up to whole words. What does not fit is left out.
    pub fn note_data(&mut self, tag: u32, parts: &[&[u8]]) {
        if self.data.is_none() {
            // SAFETY: a constant of the program.
            let header = log::header(unsafe { &ordain_rec_build }, self.name(), 0);
            self.data = file([self.name(), DATA_SUFFIX.as_bytes()]).and_then(|name| Log::begin(&name, header));
            match &self.data {
                Some(log) => self.data_at = log.piece().0,
                None => return self.cut(),
            }
        }
        let bytes: usize = parts.iter().map(|part| part.len()).sum();
        let word = u64::from(tag) << 32 | bytes as u64;
        // The word about the entry is written last: an entry that is not whole is none.
        let start = self.data_at;
        let whole = 8 + bytes.next_multiple_of(8);
        let room = self.data.as_ref().map_or(0, |log| log.piece().1 - start);
        if whole <= room {
            // SAFETY: within the piece that is mapped.
            unsafe {
                let mut at = (start + 8) as *mut u8;
                for part in parts {
                    at.copy_from_nonoverlapping(part.as_ptr(), part.len());
                    at = at.add(part.len());
                }
                (start as *mut u64).write_volatile(word);
            }
            self.data_at += whole;
            return;
        }
        self.note_across(word, parts, bytes);
    }

    /// The same where the entry ends in another piece than it begins in.
    fn note_across(&mut self, word: u64, parts: &[&[u8]], bytes: usize) {
        self.put_bytes(&word.to_le_bytes());
        parts.iter().for_each(|part| self.put_bytes(part));
        self.put_bytes(&[0; 8][..bytes.next_multiple_of(8) - bytes]);
    }

    fn put_bytes(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let Some(log) = &mut self.data else { return };
            if self.data_at == log.piece().1 {
                if log.next_piece().is_err() {
                    return self.cut();
                }
                self.data_at = log.piece().0;
            }
            let now = bytes.len().min(log.piece().1 - self.data_at);
            // SAFETY: within the piece that is mapped.
            unsafe { (self.data_at as *mut u8).copy_from_nonoverlapping(bytes.as_ptr(), now) };
            self.data_at += now;
            bytes = &bytes[now..];
        }
    }

    /// There is no room for all of the log.
    fn cut(&mut self) {
        self.header().cut = 1;
    }
}

/// Begins the main thread's log. `false` if that is not possible.
pub fn begin_main() -> bool {
    if !become_thread(b"0", 0) {
        return false;
    }
    let header = current().map_or(core::ptr::null_mut(), |thread| thread.path.header());
    MAIN.store(header, Ordering::Release);
    // SAFETY: the handler only writes to the variables of the thread that forked.
    unsafe { sys::pthread_atfork(None, None, Some(leave_in_child)) };
    true
}

/// A forked child shares the mappings: it must not write to its parent's log.
extern "C" fn leave_in_child() {
    // SAFETY: the child's only thread, which is in the runtime and does not use its cursor.
    unsafe {
        let local = ordain_rec_self();
        (*local).thread = core::ptr::null_mut();
        if let Some(scratch) = new_scratch() {
            (*local).cursor = scratch as *mut u64;
            (*local).values = scratch as *mut u32;
        }
    }
}

/// The calling thread is recorded from now on, under this name.
fn become_thread(name: &[u8], entry: usize) -> bool {
    let Some(thread) = Thread::begin(name, entry) else { return false };
    let start = thread.path.piece().0;
    let values = thread.values.as_ref().map(|log| log.piece().0);
    let Some(place) = sys::map_anonymous(size_of::<Thread>(), sys::PROT_READ | sys::PROT_WRITE) else { return false };
    // SAFETY: fresh memory for the thread, the first word of a fresh piece, and the thread's own variables.
    unsafe {
        (place as *mut Thread).write(thread);
        (start as *mut u64).write(EMPTY_WORD);
        let local = ordain_rec_self();
        (*local).cursor = start as *mut u64;
        (*local).thread = place as *mut c_void;
        if let Some(first) = values {
            (*local).values = first as *mut u32;
        }
    }
    true
}

/// Memory that the inlined code can write a path to and that nobody reads.
fn new_scratch() -> Option<usize> {
    let room = sys::map_anonymous(2 * GRAIN_BYTES, sys::PROT_READ | sys::PROT_WRITE)?;
    let at = room.next_multiple_of(GRAIN_BYTES);
    // SAFETY: a whole grain of fresh memory.
    unsafe { (at as *mut u64).write(EMPTY_WORD) };
    Some(at)
}

/// The inlined code calls this when its cursor has come to the end of a grain; it goes on where this says.
#[unsafe(no_mangle)]
extern "C" fn ordain_rec_more(end: *mut u64) -> *mut u64 {
    let _errno = sys::KeepErrno::new();
    let Some(thread) = current() else { return (end as usize - GRAIN_BYTES) as *mut u64 };
    if thread.scratch != 0 {
        return thread.scratch as *mut u64;
    }
    if (end as usize) < thread.path.piece().1 {
        return end;
    }
    if thread.path.next_piece().is_ok() {
        return thread.path.piece().0 as *mut u64;
    }
    thread.cut();
    match new_scratch() {
        Some(scratch) => thread.scratch = scratch,
        // Not even that: the last grain is written again and again. What it held is lost, and the log says so.
        None => thread.scratch = end as usize - GRAIN_BYTES,
    }
    thread.scratch as *mut u64
}

/// The same for values.
#[unsafe(no_mangle)]
extern "C" fn ordain_rec_more_values(end: *mut u32) -> *mut u32 {
    let _errno = sys::KeepErrno::new();
    let back = (end as usize - GRAIN_BYTES) as *mut u32;
    let Some(thread) = current() else { return back };
    let Some(log) = thread.values.as_mut() else { return back };
    if (end as usize) < log.piece().1 {
        return end;
    }
    if log.next_piece().is_ok() {
        return log.piece().0 as *mut u32;
    }
    thread.cut();
    // There is no room: from now on they go where nobody looks.
    thread.values = None;
    new_scratch().map_or(back, |scratch| scratch as *mut u32)
}

/// The inlined code calls this with a value that is not near the one before.
#[unsafe(no_mangle)]
extern "C" fn ordain_rec_long_value(value: u64) {
    // SAFETY: the thread's own variables. The cursor is always at a unit that may be written to.
    unsafe {
        let local = ordain_rec_self();
        for unit in long_units(value) {
            (*local).values.write_volatile(unit);
            let next = (*local).values.add(1);
            let is_full = (next as usize).is_multiple_of(GRAIN_BYTES);
            (*local).values = if is_full { ordain_rec_more_values(next) } else { next };
        }
    }
}

/// What a new thread is to do.
#[derive(Clone, Copy)]
struct Task {
    start: ThreadEntry,
    argument: *mut c_void,
    context: *mut c_void,
    name: [u8; NAME_BYTES],
    name_len: usize,
}

/// What a thread of the program starts with. Only models have use for the context.
type ThreadEntry = extern "C" fn(argument: *mut c_void, context: *mut c_void) -> *mut c_void;

#[unsafe(no_mangle)]
extern "C" fn ordain_rec_thread_create(
    handle: *mut OsThread,
    attributes: *const c_void,
    start: ThreadEntry,
    argument: *mut c_void,
    context: *mut c_void,
) -> c_int {
    const EAGAIN: c_int = 11;
    let Some(place) = sys::map_anonymous(size_of::<Task>(), sys::PROT_READ | sys::PROT_WRITE) else { return EAGAIN };
    let mut name = [0; NAME_BYTES];
    let mut name_len = 0;
    if let Some(parent) = current() {
        parent.children += 1;
        name_len = child_name(parent.name(), parent.children, &mut name);
    }
    let task = place as *mut Task;
    // SAFETY: fresh memory of that size; `run` takes a task, and gives it back.
    let result = unsafe {
        task.write(Task { start, argument, context, name, name_len });
        sys::pthread_create(handle, attributes, run, task.cast())
    };
    if result != 0
        && let Some(parent) = current()
    {
        parent.children -= 1;
    }
    result
}

/// The name of the nth child; its length, 0 if it is too long.
fn child_name(parent: &[u8], nth: u32, name: &mut [u8; NAME_BYTES]) -> usize {
    let mut digits = [0u8; 10];
    let mut at = digits.len();
    let mut rest = nth;
    while rest > 0 {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    let len = parent.len() + 1 + digits.len() - at;
    // One byte stays zero.
    if len >= NAME_BYTES {
        return 0;
    }
    name[..parent.len()].copy_from_slice(parent);
    name[parent.len()] = b'.';
    name[parent.len() + 1..len].copy_from_slice(&digits[at..]);
    len
}

extern "C" fn run(task: *mut c_void) -> *mut c_void {
    // SAFETY: `ordain_rec_thread_create` passes a task, in a mapping of its own that is not used again.
    let task = unsafe {
        let copy = *task.cast::<Task>();
        sys::munmap(task, size_of::<Task>());
        copy
    };
    let name = &task.name[..task.name_len];
    let recorded = !name.is_empty() && become_thread(name, task.start as usize);
    if !recorded {
        count_lost();
    }
    super::end::catch_faults_in_thread();
    if let Some(thread) = current() {
        thread.relaxed.pause();
    }
    let value = (task.start)(task.argument, task.context);
    leave(State::Returned);
    value
}

fn count_lost() {
    let main = MAIN.load(Ordering::Acquire);
    if !main.is_null() {
        // SAFETY: the main thread's header is never unmapped; this field is only touched so.
        unsafe { AtomicU32::from_ptr(&raw mut (*main).lost_threads) }.fetch_add(1, Ordering::Relaxed);
    }
}

/// The calling thread is about to end. Should a library still lead it back into the program, that is not recorded.
fn leave(state: State) {
    relaxed::drain_current();
    note_end(state, 0);
    let Some(thread) = current() else { return };
    // SAFETY: the thread's own variables; nobody else knows of its log, and its memory stays.
    unsafe {
        let local = ordain_rec_self();
        (*local).thread = core::ptr::null_mut();
        (*local).cursor = thread.outside;
        (*local).values = thread.outside.cast();
    }
    thread.path.end();
    if let Some(values) = &mut thread.values {
        values.end();
    }
    if let Some(data) = &mut thread.data {
        data.end();
    }
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rec_thread_exit(value: *mut c_void) -> ! {
    leave(State::Exited);
    // SAFETY: the thread has nothing more to do.
    unsafe { sys::pthread_exit(value) }
}
