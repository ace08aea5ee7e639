//! The files of one thread.

use crate::error::LogError;
use ordain_model::names::ThreadName;
use ordain_rt::format::{
    CONTENT_OFFSET, DATA_SUFFIX, EMPTY_WORD, FINISHED, GRAIN_BYTES, HEADER_BYTES, Header, MAGIC, NAME_BYTES,
    PATH_SUFFIX, State, Tag, VALUES_SUFFIX, WRITING,
};
use std::path::Path;

const WORD_BYTES: usize = 8;
const UNIT_BYTES: usize = 4;

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
    /// When it began, and when it was noted how it ended.
    pub began: u64,
    pub ended: Option<u64>,
    /// The path, up to where the thread came.
    pub path: Vec<u64>,
    pub data: Vec<Entry>,
    /// The units of its values.
    pub values: Vec<u32>,
}

/// Something that came from outside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    pub tag: Tag,
    pub bytes: Vec<u8>,
}

impl ThreadLog {
    /// Reads the files of the thread `name` in `directory`, which must belong to this build. `None` if the process ended when
    /// the thread was only about to begin its log.
    pub fn read(directory: &Path, name: &ThreadName, build: &[u8; 32]) -> Result<Option<ThreadLog>, LogError> {
        let file = directory.join(format!("{name}{PATH_SUFFIX}"));
        let Some(bytes) = begun(&file)? else { return Ok(None) };
        let header = header(&file, &bytes, name, build)?;
        let state = State::ALL.into_iter().find(|state| *state as u32 == header.state);
        let state = state.ok_or_else(|| LogError::damaged(&file, 0, "no thread ends so"))?;
        let path = words(&file, &bytes)?;
        let values_file = directory.join(format!("{name}{VALUES_SUFFIX}"));
        let values = begun(&values_file)?.map(|bytes| values(&values_file, &bytes, name, build)).transpose()?;
        let data_file = directory.join(format!("{name}{DATA_SUFFIX}"));
        let data = begun(&data_file)?.map(|bytes| entries(&data_file, &bytes, name, build)).transpose()?;
        Ok(Some(ThreadLog {
            name: name.clone(),
            entry: header.entry,
            state,
            status: header.status,
            fault: (state == State::Faulted).then_some((header.fault_pc, header.fault_address)),
            cut: header.cut != 0,
            lost_threads: header.lost_threads,
            began: header.began,
            ended: (header.ended != 0).then_some(header.ended),
            path,
            data: data.unwrap_or_default(),
            values: values.unwrap_or_default(),
        }))
    }
}

/// The contents of a file. `None` if there is none, or nothing in it: its first bytes are written last of its first page.
fn begun(file: &Path) -> Result<Option<Vec<u8>>, LogError> {
    match std::fs::read(file) {
        Ok(bytes) if bytes.iter().take(MAGIC.len()).all(|&byte| byte == 0) => Ok(None),
        Ok(bytes) => in_order(file, bytes).map(Some),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(LogError::unreadable(file)(e)),
    }
}

/// A log as it is once it is finished: its first page, then its content. In one that was being written, the grains that the
/// process had in memory take their places.
pub(crate) fn in_order(file: &Path, mut bytes: Vec<u8>) -> Result<Vec<u8>, LogError> {
    if bytes.len() < HEADER_BYTES {
        return Ok(bytes);
    }
    let header = parse_header(&bytes);
    match header.layout {
        FINISHED => return Ok(bytes),
        WRITING if bytes.len() >= CONTENT_OFFSET => {}
        WRITING => return Err(LogError::damaged(file, bytes.len(), "the file ends before its grains do")),
        _ => return Err(LogError::damaged(file, 0, "no log is laid out so")),
    }
    let mut content = bytes.split_off(CONTENT_OFFSET);
    let mut grains: Vec<(usize, usize)> = Vec::new();
    for (nth, place) in header.grains.into_iter().enumerate().filter(|(_, place)| *place != 0) {
        // The first place is the file's own size at most, the other one a grain further.
        let place = usize::try_from(place - 1).ok().filter(|at| at.is_multiple_of(GRAIN_BYTES));
        let place = place.filter(|at| *at <= content.len().next_multiple_of(GRAIN_BYTES));
        grains.push((place.ok_or_else(|| LogError::damaged(file, 0, "a grain belongs nowhere"))?, nth));
    }
    grains.sort_unstable();
    for (place, nth) in grains {
        let start = HEADER_BYTES + nth * GRAIN_BYTES;
        content.resize(content.len().max(place + GRAIN_BYTES), 0);
        content[place..place + GRAIN_BYTES].copy_from_slice(&bytes[start..start + GRAIN_BYTES]);
    }
    bytes.truncate(HEADER_BYTES);
    bytes[LAYOUT_OFFSET..LAYOUT_OFFSET + LAYOUT_BYTES].fill(0);
    bytes.append(&mut content);
    Ok(bytes)
}

/// Where the layout and what belongs to it are in a header.
const LAYOUT_OFFSET: usize = std::mem::offset_of!(Header, layout);
const LAYOUT_BYTES: usize = std::mem::offset_of!(Header, grains) + 16 - LAYOUT_OFFSET;

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
    header.wait = short(take(4));
    header.layout = short(take(4));
    header.grains = [long(take(8)), long(take(8))];
    header.began = long(take(8));
    header.ended = long(take(8));
    header
}

fn long(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

fn short(bytes: &[u8]) -> u32 {
    long(bytes) as u32
}

/// The words of a path, up to where the thread came.
fn words(file: &Path, bytes: &[u8]) -> Result<Vec<u64>, LogError> {
    let mut words: Vec<u64> = written::<WORD_BYTES>(file, bytes)?.map(|word| long(word)).collect();
    if words.is_empty() {
        // The process ended before the thread could do anything.
        words.push(EMPTY_WORD);
    }
    Ok(words)
}

fn values(file: &Path, bytes: &[u8], name: &ThreadName, build: &[u8; 32]) -> Result<Vec<u32>, LogError> {
    header(file, bytes, name, build)?;
    Ok(written::<UNIT_BYTES>(file, bytes)?.map(|unit| short(unit)).collect())
}

/// What comes after the first page, in pieces of `SIZE` bytes. None of them is zero; what was never written is.
fn written<'a, const SIZE: usize>(
    file: &Path,
    bytes: &'a [u8],
) -> Result<impl Iterator<Item = &'a [u8; SIZE]>, LogError> {
    if !bytes.len().is_multiple_of(WORD_BYTES) {
        return Err(LogError::damaged(file, bytes.len(), "the file ends in the middle of a word"));
    }
    let pieces = bytes[HEADER_BYTES..].as_chunks::<SIZE>().0;
    let is_zero = |piece: &[u8; SIZE]| *piece == [0; SIZE];
    let end = pieces.iter().position(is_zero).unwrap_or(pieces.len());
    if let Some(after) = pieces[end..].iter().position(|piece| !is_zero(piece)) {
        let why = format!("a gap in the log; it goes on {} bytes later", SIZE * after);
        return Err(LogError::damaged(file, HEADER_BYTES + SIZE * end, &why));
    }
    Ok(pieces[..end].iter())
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

/// How much of a log's file was written: paths and values end with what is not zero, data with the first entry that has
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

#[cfg(test)]
mod tests {
    use super::*;

    const BUILD: [u8; 32] = [7; 32];

    /// A first page of the main thread's, and `words` after it.
    fn log(words: &[u64]) -> Vec<u8> {
        let mut header = Header { build: BUILD, ..Header::EMPTY };
        header.name[0] = b'0';
        header.checksum = header.expected_checksum();
        let mut bytes = [&header.magic[..], &header.build, &header.name, &header.checksum.to_le_bytes()].concat();
        bytes.extend(header.entry.to_le_bytes());
        bytes.extend(header.state.to_le_bytes());
        bytes.resize(HEADER_BYTES, 0);
        bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        bytes
    }

    fn read(path: &[u8], values: Option<&[u8]>, data: Option<&[u8]>) -> Result<Option<ThreadLog>, LogError> {
        // Tests run beside each other.
        static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let nth = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let directory = std::env::temp_dir().join(format!("ordain-threads-{}-{nth}", std::process::id()));
        std::fs::create_dir_all(&directory).expect("a directory");
        for (suffix, bytes) in [(PATH_SUFFIX, Some(path)), (VALUES_SUFFIX, values), (DATA_SUFFIX, data)] {
            if let Some(bytes) = bytes {
                std::fs::write(directory.join(format!("0{suffix}")), bytes).expect("a file");
            }
        }
        let result = ThreadLog::read(&directory, &ThreadName::main(), &BUILD);
        std::fs::remove_dir_all(&directory).expect("the directory goes away");
        result
    }

    #[test]
    fn a_log_is_read_whenever_the_process_ended() {
        // Before anything was written, before the first page was whole, before the first decision.
        assert!(read(&[], None, None).expect("no error").is_none());
        assert!(read(&vec![0; HEADER_BYTES + 64], None, None).expect("no error").is_none());
        let mut without_first_word = log(&[1]);
        without_first_word[..8].fill(0);
        assert!(read(&without_first_word, None, None).expect("no error").is_none());
        let thread = read(&log(&[0, 0]), Some(&log(&[0])), Some(&[])).expect("no error").expect("a log");
        assert_eq!((thread.path, thread.values, thread.data), (vec![EMPTY_WORD], vec![], vec![]));
        let thread = read(&log(&[5, 0]), Some(&log(&[3 << 32 | 7, 9, 0])), None).expect("no error").expect("a log");
        assert_eq!((thread.path, thread.values), (vec![5], vec![7, 3, 9]));
    }

    /// A log that is being written: what each grain is and begins with, and the first words of what is on the disk.
    fn being_written(grains: [(u64, u64); 2], on_disk: &[u64]) -> Vec<u8> {
        let mut bytes = log(&[]);
        let places: Vec<u8> = grains.iter().flat_map(|(place, _)| place.to_le_bytes()).collect();
        bytes[LAYOUT_OFFSET..LAYOUT_OFFSET + 4].copy_from_slice(&WRITING.to_le_bytes());
        bytes[std::mem::offset_of!(Header, grains)..][..16].copy_from_slice(&places);
        for (_, first) in grains {
            bytes.extend(first.to_le_bytes());
            bytes.resize(bytes.len() + GRAIN_BYTES - WORD_BYTES, 1);
        }
        for first in on_disk {
            bytes.extend(first.to_le_bytes());
            bytes.resize(bytes.len() + GRAIN_BYTES - WORD_BYTES, 1);
        }
        bytes
    }

    /// The first word of every grain of the path.
    fn firsts(bytes: &[u8]) -> Vec<u64> {
        let thread = read(bytes, None, None).expect("no error").expect("a log");
        thread.path.chunks(GRAIN_BYTES / WORD_BYTES).map(|grain| grain[0]).collect()
    }

    #[test]
    fn grains_take_their_places() {
        const GRAIN: u64 = GRAIN_BYTES as u64;
        assert_eq!(firsts(&being_written([(1, 5), (0, 99)], &[])), [5]);
        // The first was copied, or partly so, or not yet.
        assert_eq!(firsts(&being_written([(1, 5), (GRAIN + 1, 6)], &[5])), [5, 6]);
        let mut partly = being_written([(1, 5), (0, 99)], &[5]);
        partly.truncate(partly.len() - GRAIN_BYTES + 24);
        assert_eq!(firsts(&partly), [5]);
        // The second is being emptied, or has become the third.
        assert_eq!(firsts(&being_written([(0, 99), (GRAIN + 1, 6)], &[5, 6])), [5, 6]);
        assert_eq!(firsts(&being_written([(2 * GRAIN + 1, 7), (GRAIN + 1, 6)], &[5, 6])), [5, 6, 7]);
        let refused = |bytes: &[u8]| matches!(read(bytes, None, None), Err(LogError::Damaged { .. }));
        assert!(refused(&being_written([(7, 5), (0, 99)], &[])));
        assert!(refused(&being_written([(3 * GRAIN + 1, 5), (0, 99)], &[5])));
        assert!(refused(&being_written([(u64::MAX, 5), (0, 99)], &[5])));
        assert!(refused(&being_written([(1, 5), (0, 99)], &[])[..CONTENT_OFFSET - 8]));
    }

    #[test]
    fn what_no_runtime_writes_is_refused() {
        assert!(matches!(read(&log(&[5, 0, 6]), None, None), Err(LogError::Damaged { .. })));
        assert!(matches!(read(&log(&[5])[..100], None, None), Err(LogError::Damaged { .. })));
        assert!(matches!(read(&log(&[5]), Some(&log(&[3 << 32])), None), Err(LogError::Damaged { .. })));
        let mut foreign = log(&[5]);
        foreign[8] ^= 1;
        assert!(matches!(read(&foreign, None, None), Err(LogError::Damaged { .. })));
        let kindless = log(&[99 << 32 | 4, 0]);
        assert!(matches!(read(&log(&[5]), None, Some(&kindless)), Err(LogError::Damaged { .. })));
        let endless = log(&[1 << 32 | 400, 0]);
        assert!(matches!(read(&log(&[5]), None, Some(&endless)), Err(LogError::Damaged { .. })));
    }
}
