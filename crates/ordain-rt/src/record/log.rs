//! Files that are written through two windows of memory, in turn.
//!
//! A thread writes to a grain that is a shared mapping of its log's file, so that nothing is lost with the process. When the grain
//! is full it is copied to its place in the file by a system call, and the other one takes what follows: storing to ever new
//! pages of a mapped file would cost a fault each, which is far more. Both grains get their blocks on the disk before they
//! are mapped: a store to a mapped page that the disk has no room for would end the process. When there is no room left, or
//! all logs together are as large as they may be, the log ends there and says so, and the program goes on.

use crate::format::{CONTENT_OFFSET, GRAIN_BYTES, HEADER_BYTES, Header, NAME_BYTES, WRITING};
use crate::sys;
use core::ffi::{CStr, c_char, c_int, c_void};
use core::sync::atomic::{AtomicU64, Ordering, compiler_fence};

/// How many more grains all logs together may take. Nobody asks before a grain is full.
static GRAINS_LEFT: AtomicU64 = AtomicU64::new(u64::MAX);

/// Limits all logs together: a program that goes round in a loop would fill the disk.
pub fn limit(bytes: u64) {
    GRAINS_LEFT.store(bytes / GRAIN_BYTES as u64, Ordering::Relaxed);
}

const PATH_BYTES: usize = 4096;

/// A path of a file, put together without a heap.
pub struct FileName {
    bytes: [u8; PATH_BYTES],
    len: usize,
}

impl FileName {
    /// `None` if it is too long.
    pub fn new(parts: &[&[u8]]) -> Option<FileName> {
        let mut name = FileName { bytes: [0; PATH_BYTES], len: 0 };
        for part in parts {
            // The last byte stays zero.
            let room = name.bytes.get_mut(name.len..PATH_BYTES - 1)?.get_mut(..part.len())?;
            room.copy_from_slice(part);
            name.len += part.len();
        }
        Some(name)
    }

    fn as_ptr(&self) -> *const c_char {
        self.bytes.as_ptr().cast()
    }
}

/// A new file, which must not be there yet; `None` if it cannot be made.
pub fn create(name: &FileName) -> Option<c_int> {
    const OWNER_ONLY: c_int = 0o600;
    // SAFETY: the name is a C string.
    let fd = unsafe { sys::open(name.as_ptr(), sys::O_RDWR | sys::O_CREAT | sys::O_EXCL | sys::O_CLOEXEC, OWNER_ONLY) };
    (fd >= 0).then_some(fd)
}

/// A log that is being written.
pub struct Log {
    fd: c_int,
    /// Always mapped.
    header: *mut Header,
    /// Where the grains are mapped, one after the other.
    grains: usize,
    /// Which of them is written to, and where in the content it belongs.
    current: usize,
    offset: usize,
}

/// Why a log goes no further.
pub struct NoRoom;

impl Log {
    /// Begins a log. The first grain is mapped, and zero.
    pub fn begin(name: &FileName, header: Header) -> Option<Log> {
        let fd = create(name)?;
        let mut log = Log { fd, header: core::ptr::null_mut(), grains: 0, current: 0, offset: 0 };
        if !log.reserve(CONTENT_OFFSET) {
            log.end();
            return None;
        }
        let first = map(fd, None, HEADER_BYTES, 0)?;
        log.header = first as *mut Header;
        log.grains = log.window(2 * GRAIN_BYTES, HEADER_BYTES)?;
        // The process may end at any moment: a header without its first word is none, and so that word comes last.
        // SAFETY: a fresh mapping that is at least as large as a header.
        unsafe {
            log.header.write(Header { magic: [0; 8], layout: WRITING, grains: [1, 0], ..header });
            compiler_fence(Ordering::Release);
            (&raw mut (*log.header).magic).write_volatile(header.magic);
        }
        Some(log)
    }

    pub fn header(&self) -> *mut Header {
        self.header
    }

    /// Where the grain at hand begins and ends.
    pub fn piece(&self) -> (usize, usize) {
        let start = self.grains + self.current * GRAIN_BYTES;
        (start, start + GRAIN_BYTES)
    }

    /// Goes on to the other grain: the one at hand is full.
    pub fn next_piece(&mut self) -> Result<(), NoRoom> {
        let one_less = |left: u64| left.checked_sub(1);
        GRAINS_LEFT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).map_err(|_| NoRoom)?;
        let (full, place) = (self.piece().0 as *const c_void, (CONTENT_OFFSET + self.offset) as i64);
        // SAFETY: a whole grain of memory. A copy that is not whole does no harm: the grain stays, and says what it is.
        if unsafe { sys::pwrite(self.fd, full, GRAIN_BYTES, place) } != GRAIN_BYTES as isize {
            return Err(NoRoom);
        }
        self.current = 1 - self.current;
        self.offset += GRAIN_BYTES;
        let next = self.piece().0 as *mut u8;
        // SAFETY: the other grain, which was copied before this one was begun; and its word in the header, which must not say
        // what it is before it is empty.
        unsafe {
            let place = (&raw mut (*self.header).grains).cast::<u64>().add(self.current);
            place.write_volatile(0);
            compiler_fence(Ordering::Release);
            next.write_bytes(0, GRAIN_BYTES);
            compiler_fence(Ordering::Release);
            place.write_volatile(self.offset as u64 + 1);
        }
        Ok(())
    }

    /// The log is complete, and not used again.
    pub fn end(&mut self) {
        // SAFETY: the descriptor and the mappings are this log's own.
        unsafe {
            if self.grains != 0 {
                sys::munmap(self.grains as *mut c_void, 2 * GRAIN_BYTES);
            }
            if !self.header.is_null() {
                sys::munmap(self.header.cast(), HEADER_BYTES);
            }
            sys::close(self.fd);
        }
    }

    /// Gives the beginning of the file its place on the disk.
    fn reserve(&self, bytes: usize) -> bool {
        // SAFETY: no memory is involved.
        unsafe { sys::posix_fallocate(self.fd, 0, bytes as i64) == 0 }
    }

    /// Maps a part of the file at an address that is a multiple of a grain.
    fn window(&self, bytes: usize, offset: usize) -> Option<usize> {
        let room = sys::map_anonymous(bytes + GRAIN_BYTES, sys::PROT_NONE)?;
        let at = room.next_multiple_of(GRAIN_BYTES);
        let mapped = map(self.fd, Some(at), bytes, offset);
        // SAFETY: what was reserved around the window is of no use; nobody knows of it.
        unsafe {
            sys::munmap(room as *mut c_void, at - room);
            sys::munmap((at + bytes) as *mut c_void, room + GRAIN_BYTES - at);
        }
        mapped
    }
}

fn map(fd: c_int, at: Option<usize>, bytes: usize, offset: usize) -> Option<usize> {
    let flags = sys::MAP_SHARED | if at.is_some() { sys::MAP_FIXED } else { 0 };
    let prot = sys::PROT_READ | sys::PROT_WRITE;
    // SAFETY: a given address lies in a reservation of the caller's own.
    let mapped = unsafe { sys::mmap(at.unwrap_or(0) as *mut c_void, bytes, prot, flags, fd, offset as i64) } as usize;
    (mapped != usize::MAX).then_some(mapped)
}

/// A header for the thread of this name.
pub fn header(build: &[u8; 32], name: &[u8], entry: usize) -> Header {
    let mut header = Header { build: *build, entry: entry as u64, ..Header::EMPTY };
    let len = name.len().min(NAME_BYTES - 1);
    header.name[..len].copy_from_slice(&name[..len]);
    header.checksum = header.expected_checksum();
    header
}

/// What the environment has for a variable.
pub fn variable(name: &CStr) -> Option<&'static [u8]> {
    // SAFETY: nobody changes the environment before the program's main, and the string stays.
    unsafe {
        let value = sys::getenv(name.as_ptr());
        (!value.is_null()).then(|| CStr::from_ptr(value).to_bytes())
    }
}
