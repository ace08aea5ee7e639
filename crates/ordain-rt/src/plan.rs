//! The plan: the schedule and the inputs of the execution to follow, as a file of 32-bit words that is mapped as it is.
//!
//! ```text
//! MAGIC VERSION threads turns inputs claimed-thread ending memory-model answers answered variables
//! threads * (parent, nth)             thread 0 is main; a parent stands before its children
//! turns   * (thread, points, outcome)      the outcome is for what there is to decide at a point; without any point: the
//!                                          number of a store in the thread's buffer, which reaches memory
//! inputs  * (thread, nth, start, length)   bytes of the data
//! answers * (thread, nth, low, high, start, length)   what a system call returned, and wrote; in this order. Only if `answered`
//!                                          is not zero; then no system call is made that has none
//! variables * (start, length)              of the environment
//! data
//! ```
//! `ordain-instrument` writes it (and only it: a plan that does not fit this is a bug, and ends the process).

use crate::buffer::MemoryModel;
use crate::sys;
use core::ffi::{CStr, c_void};

pub const MAGIC: u32 = 0x4e4c_504f;
pub const VERSION: u32 = 4;
const HEADER_WORDS: usize = 11;
/// The claimed thread, if the claim is not about one thread's failure.
pub const NO_THREAD: u32 = u32::MAX;

#[derive(Clone, Copy)]
pub struct Turn {
    pub thread: u32,
    pub points: u32,
    pub outcome: u32,
}

/// What to do at the end of the schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// Let the claimed thread run one more point: schedules may or may not count the point that fails.
    Failure,
    /// See who is stuck.
    Deadlock,
    /// Let every thread run for a while, and see that nobody gets anywhere.
    Hang,
}

#[derive(Clone, Copy)]
pub struct Plan {
    words: &'static [u32],
    threads: usize,
    turns: usize,
    inputs: usize,
    answers: usize,
    variables: usize,
    /// Whether system calls are answered by the plan.
    pub is_answered: bool,
    pub claimed: u32,
    pub ending: Ending,
    pub memory: MemoryModel,
}

/// What a system call returned, and wrote.
pub struct Answer {
    pub result: i64,
    pub bytes: &'static [u8],
}

impl Plan {
    pub const EMPTY: Plan = Plan {
        words: &[],
        threads: 0,
        turns: 0,
        inputs: 0,
        answers: 0,
        variables: 0,
        is_answered: false,
        claimed: NO_THREAD,
        ending: Ending::Failure,
        memory: MemoryModel::Sc,
    };

    pub fn load(path: &CStr) -> Option<Plan> {
        Plan::parse(map_words(path)?)
    }

    fn parse(words: &'static [u32]) -> Option<Plan> {
        let &[magic, version, threads, turns, inputs, claimed, ending, memory, answers, answered, variables, ..] =
            words
        else {
            return None;
        };
        let ending = [Ending::Failure, Ending::Deadlock, Ending::Hang].get(ending as usize).copied()?;
        let memory = MemoryModel::from_number(memory)?;
        let (threads, turns, inputs) = (threads as usize, turns as usize, inputs as usize);
        let (answers, variables, is_answered) = (answers as usize, variables as usize, answered != 0);
        let plan = Plan { words, threads, turns, inputs, answers, variables, is_answered, claimed, ending, memory };
        (magic == MAGIC && version == VERSION && plan.data_start() <= words.len()).then_some(plan)
    }

    fn turns_start(&self) -> usize {
        HEADER_WORDS + 2 * self.threads
    }

    fn inputs_start(&self) -> usize {
        self.turns_start() + 3 * self.turns
    }

    fn answers_start(&self) -> usize {
        self.inputs_start() + 4 * self.inputs
    }

    fn variables_start(&self) -> usize {
        self.answers_start() + 6 * self.answers
    }

    fn data_start(&self) -> usize {
        self.variables_start() + 2 * self.variables
    }

    /// How many threads have a number in the plan.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// The number of the `nth` child of `parent`, if the plan has it.
    pub fn child(&self, parent: u32, nth: u32) -> Option<usize> {
        let table = &self.words[HEADER_WORDS..self.turns_start()];
        table.chunks_exact(2).skip(1).position(|c| c[0] == parent && c[1] == nth).map(|i| i + 1)
    }

    /// Parent and place among its children of the thread with this number; `None` for the main thread.
    pub fn parent(&self, thread: usize) -> Option<(usize, u32)> {
        let table = &self.words[HEADER_WORDS..self.turns_start()];
        let entry = table.get(2 * thread..2 * thread + 2).filter(|_| thread > 0)?;
        Some((entry[0] as usize, entry[1]))
    }

    pub fn turn(&self, i: usize) -> Option<Turn> {
        let table = &self.words[self.turns_start()..self.inputs_start()];
        table.get(3 * i..3 * i + 3).map(|w| Turn { thread: w[0], points: w[1], outcome: w[2] })
    }

    /// The bytes of the `nth` input of `thread`; empty if the plan does not say.
    pub fn input(&self, thread: u32, nth: u32) -> &'static [u8] {
        let table = &self.words[self.inputs_start()..self.answers_start()];
        match table.chunks_exact(4).find(|c| c[0] == thread && c[1] == nth) {
            Some(entry) => self.data(entry[2], entry[3]),
            None => &[],
        }
    }

    /// The answer to the `nth` system call of `thread`, if the plan has it.
    pub fn answer(&self, thread: u32, nth: u32) -> Option<Answer> {
        let (table, _) = self.words[self.answers_start()..self.variables_start()].as_chunks::<6>();
        let at = table.binary_search_by_key(&(thread, nth), |entry| (entry[0], entry[1])).ok()?;
        let [_, _, low, high, start, length] = table[at];
        let result = (u64::from(high) << 32 | u64::from(low)) as i64;
        Some(Answer { result, bytes: self.data(start, length) })
    }

    /// The variables of the environment, each with its end.
    pub fn variables(&self) -> impl ExactSizeIterator<Item = &'static [u8]> {
        let (table, _) = self.words[self.variables_start()..self.data_start()].as_chunks::<2>();
        table.iter().map(|&[start, length]| self.data(start, length))
    }

    fn data(&self, start: u32, length: u32) -> &'static [u8] {
        let data = &self.words[self.data_start()..];
        // SAFETY: the same memory, seen as its bytes.
        let bytes = unsafe { core::slice::from_raw_parts(data.as_ptr().cast::<u8>(), 4 * data.len()) };
        let (start, length) = (start as usize, length as usize);
        bytes.get(start..start + length).unwrap_or(&[])
    }
}

fn map_words(path: &CStr) -> Option<&'static [u32]> {
    // SAFETY: plain system calls on a file that nobody changes while the process lives; the mapping is never undone, so
    // the slice is valid for ever, and as long as the file's whole words.
    unsafe {
        let fd = sys::open(path.as_ptr(), sys::O_RDONLY | sys::O_CLOEXEC);
        if fd < 0 {
            return None;
        }
        let bytes = sys::lseek(fd, 0, sys::SEEK_END);
        let len = usize::try_from(bytes).ok().filter(|&n| n > 0)?;
        let at = sys::mmap(core::ptr::null_mut::<c_void>(), len, sys::PROT_READ, sys::MAP_PRIVATE, fd, 0);
        sys::close(fd);
        (at as usize != usize::MAX).then(|| core::slice::from_raw_parts(at.cast::<u32>(), len / 4))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: &[u32] = &[
        MAGIC,
        VERSION,
        3,
        2,
        1,
        1,
        0,
        1,
        2,
        1,
        1, // header
        NO_THREAD,
        0,
        0,
        1,
        1,
        2, // threads 0, 0.1, 0.1.2
        0,
        5,
        0,
        2,
        1,
        1, // turns
        1,
        0,
        0,
        2, // an input of 0.1
        0,
        0,
        3,
        0,
        0,
        0,
        1,
        0,
        (-2_i32) as u32,
        u32::MAX,
        1,
        1, // answers to 0 and 0.1
        2,
        2, // a variable
        0x0041_0201,
    ];

    #[test]
    fn finds_threads_turns_and_inputs() {
        let plan = Plan::parse(WORDS).unwrap();
        assert_eq!((plan.child(0, 1), plan.child(1, 2), plan.child(0, 2)), (Some(1), Some(2), None));
        assert_eq!(plan.turn(1).map(|t| (t.thread, t.points, t.outcome)), Some((2, 1, 1)));
        assert!(plan.turn(2).is_none());
        assert_eq!(plan.memory, MemoryModel::Tso);
        assert_eq!(plan.input(1, 0), &[1, 2]);
        assert!(plan.input(1, 1).is_empty());
        let answer = |thread, nth| plan.answer(thread, nth).map(|a| (a.result, a.bytes));
        assert_eq!(answer(0, 0), Some((3, &[][..])));
        assert_eq!(answer(1, 0), Some((-2, &[2][..])));
        assert_eq!(answer(1, 1), None);
        assert!(plan.variables().eq([&[0x41, 0][..]]));
    }

    #[test]
    fn rejects_what_is_cut_short() {
        assert!(Plan::parse(&WORDS[..14]).is_none());
        assert!(Plan::parse(&WORDS[..3]).is_none());
    }
}
