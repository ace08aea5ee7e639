//! Error numbers of system calls (x86-64 Linux).

use std::io;

/// Why a system call failed, as the program is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Errno(pub i32);

impl Errno {
    pub const NOT_PERMITTED: Errno = Errno(1);
    pub const NO_ENTRY: Errno = Errno(2);
    pub const IO: Errno = Errno(5);
    pub const BAD_DESCRIPTOR: Errno = Errno(9);
    pub const AGAIN: Errno = Errno(11);
    pub const ACCESS: Errno = Errno(13);
    pub const BUSY: Errno = Errno(16);
    pub const EXISTS: Errno = Errno(17);
    pub const OTHER_DEVICE: Errno = Errno(18);
    pub const NOT_DIRECTORY: Errno = Errno(20);
    pub const IS_DIRECTORY: Errno = Errno(21);
    pub const INVALID: Errno = Errno(22);
    pub const TOO_MANY_FILES: Errno = Errno(24);
    pub const TOO_LARGE: Errno = Errno(27);
    pub const ILLEGAL_SEEK: Errno = Errno(29);
    pub const BROKEN_PIPE: Errno = Errno(32);
    pub const RANGE: Errno = Errno(34);
    pub const NAME_TOO_LONG: Errno = Errno(36);
    pub const NOT_EMPTY: Errno = Errno(39);
    pub const TOO_MANY_LINKS: Errno = Errno(40);
}

/// What the host says about one of its files is what the program would have been told.
impl From<io::Error> for Errno {
    fn from(error: io::Error) -> Self {
        error.raw_os_error().map_or(Errno::IO, Errno)
    }
}

pub(crate) type Answer<T> = Result<T, Errno>;
