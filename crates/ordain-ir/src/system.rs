//! The system calls: what models of library functions need of the world outside.
//!
//! Models are C; only these few functions, named `ordain_sys_…` and declared in `models/system.h`, go beyond memory. They
//! return what the kernel's calls return: a result, or an error number with a minus before it. Whoever executes a
//! program gives them a meaning: the machine its own files (`ordain_vm`), a native binary those of the process.

use serde::{Deserialize, Serialize};

macro_rules! system_calls {
    ($($(#[$doc:meta])* $call:ident = $name:literal / $arguments:literal),* $(,)?) => {
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
        pub enum SystemCall {
            $($(#[$doc])* $call),*
        }

        impl SystemCall {
            pub const ALL: &[SystemCall] = &[$(SystemCall::$call),*];

            /// What models call it.
            pub fn name(self) -> &'static str {
                match self {
                    $(SystemCall::$call => concat!("ordain_sys_", $name)),*
                }
            }

            /// How many arguments it takes.
            pub fn arguments(self) -> usize {
                match self {
                    $(SystemCall::$call => $arguments),*
                }
            }
        }
    };
}

system_calls! {
    /// `(directory, path, flags, mode)`; paths are relative to a directory, as in `openat`.
    Open = "open" / 4,
    Close = "close" / 1,
    /// `(fd, to, size)`
    Read = "read" / 3,
    /// `(fd, from, size)`
    Write = "write" / 3,
    /// `(fd, to, size, offset)`
    ReadAt = "read_at" / 4,
    /// `(fd, from, size, offset)`
    WriteAt = "write_at" / 4,
    /// `(fd, offset, whence)`
    Seek = "seek" / 3,
    /// `(directory, path, stat, flags)`; a null path means the directory argument itself, which may be any file.
    Status = "status" / 4,
    /// `(fd, size)`
    Truncate = "truncate" / 2,
    /// `(directory, path, flags)`
    Unlink = "unlink" / 3,
    /// `(directory, path, new directory, new path)`
    Rename = "rename" / 4,
    /// `(directory, path, mode)`
    MakeDirectory = "make_directory" / 3,
    /// `(fd, dirent)`: 1 if there was one more entry, else 0.
    NextEntry = "next_entry" / 2,
    /// `(directory, path, mode)`; a null path as for `Status`.
    ChangeMode = "change_mode" / 3,
    /// `(directory, path, two timespecs, flags)`; a null path as for `Status`.
    SetTimes = "set_times" / 4,
    /// `(directory, path, mode)`
    Access = "access" / 3,
    /// `(directory, path, to, size)`
    ReadLink = "read_link" / 4,
    /// `(fd, least)`: another number for the same open file, `least` or above.
    Duplicate = "duplicate" / 2,
    /// `(fd, to)`
    DuplicateTo = "duplicate_to" / 2,
    /// `(two ints)`
    Pipe = "pipe" / 1,
    /// `(fd)`: the flags it was opened with.
    Flags = "flags" / 1,
    /// `(fd, flags)`
    SetFlags = "set_flags" / 2,
    /// `(to, size)`
    WorkingDirectory = "working_directory" / 2,
    /// `(path)`
    ChangeDirectory = "change_directory" / 1,
    /// `()`: nanoseconds since 1970, in virtual time.
    Clock = "clock" / 0,
    /// `(to, size)`
    Random = "random" / 2,
    /// `(text)`: the bits of the `double` that is nearest to a decimal number.
    ParseDouble = "parse_double" / 1,
    /// `(text)`: the bits of the nearest `float`.
    ParseFloat = "parse_float" / 1,
}

impl SystemCall {
    pub fn named(name: &str) -> Option<SystemCall> {
        name.starts_with("ordain_sys_").then(|| Self::ALL.iter().copied().find(|call| call.name() == name))?
    }

    /// Whether what it returns follows from its arguments, whatever is outside.
    pub fn is_computed(self) -> bool {
        matches!(self, SystemCall::ParseDouble | SystemCall::ParseFloat)
    }

    /// What it writes to memory, if anything.
    pub fn writes(self) -> Option<Writes> {
        let (argument, amount) = match self {
            SystemCall::Read | SystemCall::ReadAt => (1, Amount::Result),
            SystemCall::ReadLink => (2, Amount::Result),
            SystemCall::WorkingDirectory | SystemCall::Random => (0, Amount::Result),
            SystemCall::Status => (2, Amount::Fixed { bytes: 144, least: 0 }),
            SystemCall::NextEntry => (1, Amount::Fixed { bytes: 280, least: 1 }),
            SystemCall::Pipe => (0, Amount::Fixed { bytes: 8, least: 0 }),
            _ => return None,
        };
        Some(Writes { argument, amount })
    }
}

/// What a system call writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Writes {
    /// The argument that says where.
    pub argument: usize,
    pub amount: Amount,
}

/// How much a system call writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Amount {
    /// As many bytes as it returns.
    Result,
    /// So many bytes, if it returns at least this.
    Fixed { bytes: u64, least: u64 },
}

impl Amount {
    /// How many bytes a call writes that returns this, and no error.
    pub fn given(self, result: u64) -> u64 {
        match self {
            Amount::Result => result,
            Amount::Fixed { bytes, least } if result >= least => bytes,
            Amount::Fixed { .. } => 0,
        }
    }
}
