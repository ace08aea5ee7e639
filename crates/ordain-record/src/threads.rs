//! The files of one thread.

use crate::error::LogError;
use ordain_model::names::ThreadName;
use ordain_rt::format::{DATA_SUFFIX, HEADER_BYTES, Header, MAGIC, NAME_BYTES, PATH_SUFFIX, State, Tag, VALUES_SUFFIX};
use std::path::Path;

const WORD_BYTES: usize = 8;

/// What one thread wrote.
#[derive(Clone, Debug)]
pub struct ThreadLog {
    pub name: ThreadName,
    /// The address of the function it began with, in the process that was recorded; 0 for the main thread.
    pub entry: u64,
    pub state: State,
    /// The status of an exit, or the number of a signal.
    pub status: u32,
    /// Where a fault was, and the address that it was about.
    pub fault: Option<(u64, u64)>,
    /// There was no room for the rest.
    pub cut: bool,
    /// In the main thread's: how many threads have no log.
    pub lost_threads: u32,
    /// The path, up to where the thread came.
    pub path: Vec<u64>,
    pub data: Vec<Entry>,
    pub values: Vec<u64>,
}

/// Something that came from outside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    pub tag: Tag,
    pub bytes: Vec<u8>,
}

impl ThreadLog {
    /// Reads the files of the thread `name` in `directory`, which must belong to this build.
    pub fn read(directory: &Path, name: &ThreadName, build: &[u8; 32]) -> Result<ThreadLog, LogError> {
        let file = directory.join(format!("{name}{PATH_SUFFIX}"));
        let bytes = std::fs::read(&file).map_err(LogError::unreadable(&file))?;
        let header = header(&file, &bytes, name, build)?;
        let state = State::ALL.into_iter().find(|state| *state as u32 == header.state);
        let state = state.ok_or_else(|| LogError::damaged(&file, 0, "no thread ends so"))?;
        let path = words(&file, &bytes)?;
        let path = up_to_zero(&file, path)?;
        let values_file = directory.join(format!("{name}{VALUES_SUFFIX}"));
        let values = match std::fs::read(&values_file) {
            Ok(bytes) => values(&values_file, &bytes, name, build)?,
            // They were not recorded.
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(e) => return Err(LogError::unreadable(&values_file)(e)),
        };
        let data_file = directory.join(format!("{name}{DATA_SUFFIX}"));
        let data = match std::fs::read(&data_file) {
            Ok(bytes) => entries(&data_file, &bytes, name, build)?,
            // Nothing came from outside.
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(e) => return Err(LogError::unreadable(&data_file)(e)),
        };
        Ok(ThreadLog {
            name: name.clone(),
            entry: header.entry,
            state,
            status: header.status,
            fault: (state == State::Faulted).then_some((header.fault_pc, header.fault_address)),
            cut: header.cut != 0,
            lost_threads: header.lost_threads,
            path,
            data,
            values,
        })
    }
}

/// The first page, checked.
fn header(file: &Path, bytes: &[u8], name: &ThreadName, build: &[u8; 32]) -> Result<Header, LogError> {
    if bytes.len() < HEADER_BYTES {
        return Err(LogError::damaged(file, bytes.len(), "the file ends before its first page does"));
    }
    let header = parse_header(bytes);
    if header.magic != MAGIC {
        let why = "it does not begin as a thread's log of this version does".to_owned();
        return Err(LogError::NotOne { file: file.to_owned(), why });
    }
    if header.checksum != header.expected_checksum() {
        return Err(LogError::damaged(file, 0, "the checksum of its first page does not match"));
    }
    if header.build != *build {
        return Err(LogError::Foreign { file: file.to_owned() });
    }
    let own: Vec<u8> = header.name.iter().copied().take_while(|&byte| byte != 0).collect();
    if own != name.to_string().into_bytes() {
        return Err(LogError::damaged(file, 0, "it is the log of another thread"));
    }
    Ok(header)
}

/// The fields of a header, which is as long as it should be.
fn parse_header(bytes: &[u8]) -> Header {
    let mut at = 0;
    let mut take = |count: usize| {
        at += count;
        &bytes[at - count..at]
    };
    let mut header = Header::EMPTY;
    header.magic.copy_from_slice(take(8));
    header.build.copy_from_slice(take(32));
    header.name.copy_from_slice(take(NAME_BYTES));
    header.checksum = long(take(8));
    header.entry = long(take(8));
    header.state = short(take(4));
    header.status = short(take(4));
    header.fault_pc = long(take(8));
    header.fault_address = long(take(8));
    header.cut = short(take(4));
    header.lost_threads = short(take(4));
    header
}

fn long(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

fn short(bytes: &[u8]) -> u32 {
    long(bytes) as u32
}

/// What comes after the first page.
fn words(file: &Path, bytes: &[u8]) -> Result<Vec<u64>, LogError> {
    if !bytes.len().is_multiple_of(WORD_BYTES) {
        return Err(LogError::damaged(file, bytes.len(), "the file ends in the middle of a word"));
    }
    Ok(bytes[HEADER_BYTES..].chunks_exact(WORD_BYTES).map(long).collect())
}

/// Words are not zero; what was never written is.
fn up_to_zero(file: &Path, mut words: Vec<u64>) -> Result<Vec<u64>, LogError> {
    let end = words.iter().position(|&word| word == 0).unwrap_or(words.len());
    let place = |word: usize| HEADER_BYTES + WORD_BYTES * word;
    if let Some(after) = words[end..].iter().position(|&word| word != 0) {
        return Err(LogError::damaged(file, place(end), &format!("a gap in the path; it goes on {after} words later")));
    }
    if end == 0 {
        return Err(LogError::damaged(file, HEADER_BYTES, "the path has no beginning"));
    }
    words.truncate(end);
    Ok(words)
}

/// Values up to the mark behind them, the last word that is not zero.
fn values(file: &Path, bytes: &[u8], name: &ThreadName, build: &[u8; 32]) -> Result<Vec<u64>, LogError> {
    header(file, bytes, name, build)?;
    let mut words = words(file, bytes)?;
    let Some(mark) = words.iter().rposition(|&word| word != 0) else {
        return Err(LogError::damaged(file, HEADER_BYTES, "the values have no end"));
    };
    words.truncate(mark);
    Ok(words)
}

fn entries(file: &Path, bytes: &[u8], name: &ThreadName, build: &[u8; 32]) -> Result<Vec<Entry>, LogError> {
    header(file, bytes, name, build)?;
    let mut entries = Vec::new();
    let mut at = HEADER_BYTES;
    while let Some(word) = bytes.get(at..at + WORD_BYTES).map(long).filter(|&word| word != 0) {
        let (tag, size) = ((word >> 32) as u32, (word & u64::from(u32::MAX)) as usize);
        let known = Tag::ALL.into_iter().find(|known| *known as u32 == tag);
        let tag = known.ok_or_else(|| LogError::damaged(file, at, "no entry is of such a kind"))?;
        let start = at + WORD_BYTES;
        let Some(content) = bytes.get(start..start + size) else {
            return Err(LogError::damaged(file, at, "the file ends in the middle of an entry"));
        };
        entries.push(Entry { tag, bytes: content.to_vec() });
        at = start + size.next_multiple_of(WORD_BYTES);
    }
    Ok(entries)
}

/// How much of a log's file was written: paths and values end with a word that is not zero, data with the first entry that has
/// no kind.
pub(crate) fn used_bytes(file: &Path, bytes: &[u8]) -> usize {
    let first = HEADER_BYTES.min(bytes.len());
    if !file.to_string_lossy().ends_with(DATA_SUFFIX) {
        let last = bytes[first..].iter().rposition(|&byte| byte != 0);
        return last.map_or(first, |last| (first + last + 1).next_multiple_of(WORD_BYTES).min(bytes.len()));
    }
    let mut at = first;
    while let Some(word) = bytes.get(at..at + WORD_BYTES).map(long).filter(|&word| word != 0) {
        let content = (word & u64::from(u32::MAX)) as usize;
        at = (at + WORD_BYTES + content.next_multiple_of(WORD_BYTES)).min(bytes.len());
    }
    at
}
