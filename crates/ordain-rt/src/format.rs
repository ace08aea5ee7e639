//! What a recorded run looks like on disk: shared by the runtime, which writes it, and `ordain-record`, which reads it.
//!
//! Every thread has files of its own, named after it: its *path* (`0.1.path`), its *data* (`0.1.data`) and, if they are
//! recorded, *values* (`0.1.values`). They begin with a page that says whose they are; the content is little-endian words,
//! written one after the other.
//!
//! While a log is being written, two *grains* follow that page, which the process has in a shared mapping, and then the content
//! as far as it is on the disk. A thread fills the grains in turn; a full one is copied to where it belongs. So what was
//! written survives the end of the process, however sudden, and costs no page fault: `Header::grains` says which part of the
//! content each of them is, whether it has been copied or not. Once a recording is finished, the content follows the page.
//!
//! *Paths* are words of bits, as the inlined code makes them: the highest bit that is set only marks where the bits
//! begin, and every decision adds some at the low end. The word at the thread's cursor is always written, so the last word
//! that is not zero is as far as the thread came. A group of bits lies in one word. A *raw* word holds a value, plus one.
//!
//! *Values* are what was read at places that the table of the executable lists, and the time (of the processor's counter,
//! read without a fence) at which threads had to do with each other. Both are mostly near what they were before: what is
//! written are differences, from the last value in the same slot or from the last time, in *units* of four bytes
//! (`difference_unit`). What is too far away takes three units (`long_units`). No unit is zero, so the last one that is not
//! is as far as the thread came.
//!
//! *Data* are entries: a word with a tag (high half) and the number of bytes (low half), then the bytes, padded to words.

/// What both kinds of file begin with.
pub const MAGIC: [u8; 8] = *b"ORDAINL\x03";
/// The first page is about the thread.
pub const HEADER_BYTES: usize = 4096;
pub const NAME_BYTES: usize = 256;
/// The inlined code calls the runtime only where the cursor meets a multiple of this.
pub const GRAIN_BYTES: usize = 1 << 16;
/// The first word of a path, and the first of every word of bits.
pub const EMPTY_WORD: u64 = 1;
/// What is added to a difference, so that it is a positive number.
const DIFFERENCE_BIAS: u64 = 1 << 31;
/// The first unit that is a difference; those below say that two halves of a value follow.
const FIRST_DIFFERENCE: u64 = 5;
/// A unit that says that halves follow: plus one if the lower one is zero, plus two if the upper one is. Neither is written as zero.
const HALVES_FOLLOW: u32 = 1;

/// The unit that says how far a value is from the one before, if one unit can say that. The inlined code does the same.
pub fn difference_unit(before: u64, value: u64) -> Option<u32> {
    let unit = value.wrapping_sub(before).wrapping_add(DIFFERENCE_BIAS);
    u32::try_from(unit).ok().filter(|_| unit >= FIRST_DIFFERENCE)
}

/// The units that stand for a value, whatever was before.
pub fn long_units(value: u64) -> [u32; 3] {
    let halves = [value as u32, (value >> 32) as u32];
    let first = HALVES_FOLLOW + u32::from(halves[0] == 0) + 2 * u32::from(halves[1] == 0);
    [first, halves[0].max(1), halves[1].max(1)]
}

/// The value that units begin with, and how many of them it takes. `None` if there are not enough of them, or they are none.
pub fn value_of(before: u64, units: &[u32]) -> Option<(u64, usize)> {
    let &first = units.first()?;
    if u64::from(first) >= FIRST_DIFFERENCE {
        return Some((before.wrapping_add(first.into()).wrapping_sub(DIFFERENCE_BIAS), 1));
    }
    let (zeros, &[low, high]) = (first.checked_sub(HALVES_FOLLOW)?, units.get(1..3)?.as_array()?);
    let low = if zeros & 1 != 0 { 0 } else { u64::from(low) };
    let high = if zeros & 2 != 0 { 0 } else { u64::from(high) };
    Some((high << 32 | low, 3))
}

/// The file with the addresses of the program's functions, one word each, in the order of the program.
pub const FUNCTIONS_FILE: &str = "functions";
pub const PATH_SUFFIX: &str = ".path";
pub const DATA_SUFFIX: &str = ".data";
pub const VALUES_SUFFIX: &str = ".values";

/// The first page of a thread's path. Of data only what comes before the name counts.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Header {
    pub magic: [u8; 8],
    /// The hash of the program's canonical bitcode.
    pub build: [u8; 32],
    /// The thread's name, ended by zeros.
    pub name: [u8; NAME_BYTES],
    /// Over everything above.
    pub checksum: u64,
    /// The address of the function that the thread began with; 0 for the main thread.
    pub entry: u64,
    /// How the thread ended: see `State`.
    pub state: u32,
    /// The status of an exit, or the number of a signal.
    pub status: u32,
    /// Where a fault was, and the address that it was about.
    pub fault_pc: u64,
    pub fault_address: u64,
    /// Not zero if there was no room for all of the log: what comes after is lost, the rest is not.
    pub cut: u32,
    /// Threads whose logs could not be begun; counted by the main thread's header.
    pub lost_threads: u32,
    /// The function that the thread was last about to wait in, and whether it is back: see `Wait`.
    pub wait: u32,
    /// `WRITING` or `FINISHED`.
    pub layout: u32,
    /// Where in the content each of the two grains belongs, plus one; zero if it is none of it.
    pub grains: [u64; 2],
    /// When the thread began, and when how it ended was noted; zero if it was not.
    pub began: u64,
    pub ended: u64,
}

/// The layout of a log that is being written: two grains, then what is on the disk.
pub const WRITING: u32 = 1;
/// The layout of a log that is finished.
pub const FINISHED: u32 = 0;
/// Where the content begins in a log that is being written.
pub const CONTENT_OFFSET: usize = HEADER_BYTES + 2 * GRAIN_BYTES;

const _: () = assert!(size_of::<Header>() <= HEADER_BYTES);

impl Header {
    pub const EMPTY: Header = Header {
        magic: MAGIC,
        build: [0; 32],
        name: [0; NAME_BYTES],
        checksum: 0,
        entry: 0,
        state: State::Running as u32,
        status: 0,
        fault_pc: 0,
        fault_address: 0,
        cut: 0,
        lost_threads: 0,
        wait: 0,
        layout: FINISHED,
        grains: [0; 2],
        began: 0,
        ended: 0,
    };

    /// What `checksum` should be.
    pub fn expected_checksum(&self) -> u64 {
        let hash = fnv(FNV_START, &self.magic);
        fnv(fnv(hash, &self.build), &self.name)
    }
}

const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a: enough to notice what was damaged, small enough for the runtime.
fn fnv(start: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(start, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// How a thread stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum State {
    /// It had not ended when the process did.
    Running = 1,
    /// Its function returned.
    Returned = 2,
    /// By `pthread_exit`.
    Exited = 3,
    /// It ended the process: by `exit` or at the end of `main`.
    EndedProcess = 4,
    /// By `_exit` and the like.
    EndedProcessNow = 5,
    Aborted = 6,
    AssertionFailed = 7,
    /// `reach_error` and its siblings.
    ReachedError = 8,
    /// A library object was used as it must not be.
    Misused = 9,
    /// An assumption of the program did not hold.
    BrokeAssumption = 10,
    /// A signal of the processor, or an abort of the C library's own.
    Faulted = 11,
}

impl State {
    pub const ALL: [State; 11] = [
        State::Running,
        State::Returned,
        State::Exited,
        State::EndedProcess,
        State::EndedProcessNow,
        State::Aborted,
        State::AssertionFailed,
        State::ReachedError,
        State::Misused,
        State::BrokeAssumption,
        State::Faulted,
    ];
}

/// What an entry of the data is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Tag {
    /// The result of a system call, then the bytes that it wrote.
    System = 1,
    /// An input of the program's own (`ordain_input` and its kin).
    Input = 2,
    /// The strings of the arguments, each with its end.
    Arguments = 3,
    /// The strings of the environment, each with its end.
    Environment = 4,
    /// What a library function returned that runs natively instead of its model.
    Native = 5,
}

impl Tag {
    pub const ALL: [Tag; 5] = [Tag::System, Tag::Input, Tag::Arguments, Tag::Environment, Tag::Native];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_they_were_written() {
        let near =
            [0, 1, 4, 5, 0x7fff_fffa, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 1 << 32, 0x7f00_1234_5678, u64::MAX];
        for before in near {
            for value in near.iter().flat_map(|&n| [n, before.wrapping_add(n), before.wrapping_sub(n)]) {
                let long = long_units(value);
                assert!(!long.contains(&0));
                assert_eq!(value_of(before, &long), Some((value, 3)));
                assert_eq!(value_of(before, &long[..2]), None);
                if let Some(unit) = difference_unit(before, value) {
                    assert_ne!(unit, 0);
                    assert_eq!(value_of(before, &[unit]), Some((value, 1)));
                }
            }
        }
        assert_eq!(difference_unit(7, 7u64.wrapping_sub(0x7fff_fffc)), None);
        assert!(difference_unit(7, 7u64.wrapping_sub(0x7fff_fffb)).is_some());
        assert!(difference_unit(7, 7 + 0x7fff_ffff).is_some());
        assert_eq!(difference_unit(7, 7 + 0x8000_0000), None);
    }
}
