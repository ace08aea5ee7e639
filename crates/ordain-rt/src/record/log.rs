//! Files that are written through a window of memory.
//!
//! A log is a file of which one piece at a time is mapped, shared, where the thread writes. Pieces get their blocks on the
//! disk before they are mapped: a store to a mapped page that the disk has no room for would end the process. When there
//! is no room left, the log ends there and says so, and the program goes on.

use crate::format::{GRAIN_BYTES, HEADER_BYTES, Header, NAME_BYTES};
use crate::sys;
use core::ffi::{CStr, c_char, c_int, c_void};
use core::sync::atomic::{Ordering, compiler_fence};

/// The first piece is small, for programs with many threads; then they grow up to this.
const MOST_PIECE_BYTES: usize = 4 << 20;
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
    /// The piece that is mapped, and where it begins in the file. A whole number of grains, aligned as such.
    piece: usize,
    piece_bytes: usize,
    piece_offset: usize,
}

/// Why a log goes no further.
pub struct NoRoom;

impl Log {
    /// Begins a log. The first piece is mapped, and zero.
    pub fn begin(name: &FileName, header: Header) -> Option<Log> {
        let fd = create(name)?;
        let mut log =
            Log { fd, header: core::ptr::null_mut(), piece: 0, piece_bytes: GRAIN_BYTES, piece_offset: HEADER_BYTES };
        if !log.reserve(0, HEADER_BYTES + GRAIN_BYTES) {
            log.end();
            return None;
        }
        let first = map(fd, None, HEADER_BYTES, 0)?;
        log.header = first as *mut Header;
        log.piece = log.window(GRAIN_BYTES, HEADER_BYTES)?;
        // The process may end at any moment: a header without its first word is none, and so that word comes last.
        // SAFETY: a fresh mapping that is at least as large as a header.
        unsafe {
            log.header.write(Header { magic: [0; 8], ..header });
            compiler_fence(Ordering::Release);
            (&raw mut (*log.header).magic).write_volatile(header.magic);
        }
        Some(log)
    }

    pub fn header(&self) -> *mut Header {
        self.header
    }

    /// Where the piece at hand begins and ends.
    pub fn piece(&self) -> (usize, usize) {
        (self.piece, self.piece + self.piece_bytes)
    }

    /// Replaces the piece at hand, which is full, by the next one.
    pub fn next_piece(&mut self) -> Result<(), NoRoom> {
        let offset = self.piece_offset + self.piece_bytes;
        let bytes = (2 * self.piece_bytes).min(MOST_PIECE_BYTES);
        if !self.reserve(offset, bytes) {
            return Err(NoRoom);
        }
        let next = self.window(bytes, offset).ok_or(NoRoom)?;
        // SAFETY: the old piece is this log's own, and nobody writes there any more.
        unsafe { sys::munmap(self.piece as *mut c_void, self.piece_bytes) };
        (self.piece, self.piece_bytes, self.piece_offset) = (next, bytes, offset);
        Ok(())
    }

    /// The log is complete, and not used again.
    pub fn end(&mut self) {
        // SAFETY: the descriptor and the mappings are this log's own.
        unsafe {
            if self.piece != 0 {
                sys::munmap(self.piece as *mut c_void, self.piece_bytes);
            }
            if !self.header.is_null() {
                sys::munmap(self.header.cast(), HEADER_BYTES);
            }
            sys::close(self.fd);
        }
    }

    /// Gives this part of the file its place on the disk.
    fn reserve(&self, offset: usize, bytes: usize) -> bool {
        // SAFETY: no memory is involved.
        unsafe { sys::posix_fallocate(self.fd, offset as i64, bytes as i64) == 0 }
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

/// The directory of the log, from the environment.
pub fn directory(variable: &CStr) -> Option<&'static [u8]> {
    // SAFETY: nobody changes the environment before the program's main, and the string stays.
    unsafe {
        let value = sys::getenv(variable.as_ptr());
        (!value.is_null()).then(|| CStr::from_ptr(value).to_bytes())
    }
}
