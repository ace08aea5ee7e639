//! A journal as text: what a search has done so far, so that another one can go on from there.
//!
//! One line per record, each with a checksum of its own. The first line says what the search is about; every other one is a
//! run. Lines are only ever added at the end, so whoever is killed leaves a torn line there at worst: what comes
//! after the last whole line counts as never written.

use crate::witness::Execution;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use thiserror::Error;

pub const JOURNAL_VERSION: u32 = 1;

/// Digits of a checksum: it guards against accidents, not against people.
const DIGITS: usize = 16;

/// What a search is about. Runs of another one say nothing about it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Header {
    pub version: u32,
    /// The version of Ordain.
    pub ordain: String,
    /// Hash of the program's build, in hex.
    pub build: String,
    /// Everything else that decides what is looked for, as a user would write it.
    pub options: BTreeMap<String, String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Journal {
    pub header: Header,
    pub runs: Vec<Execution>,
    /// How many bytes of the text are whole records.
    pub whole: usize,
}

#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum JournalError {
    #[error("is damaged at its beginning, or is not a journal")]
    Damaged,
    #[error("is a journal of version {0}, and this ordain reads version {JOURNAL_VERSION}")]
    OtherVersion(u64),
}

/// A record as a line, with its newline.
pub fn line(record: &impl Serialize) -> Result<String, serde_json::Error> {
    let text = serde_json::to_string(record)?;
    Ok(format!("{} {text}\n", checksum(text.as_bytes())))
}

pub fn from_text(text: &[u8]) -> Result<Journal, JournalError> {
    let mut records = text.split_inclusive(|&byte| byte == b'\n');
    let first = records.next().and_then(|line| Some((line.len(), record(line)?)));
    let (mut whole, first) = first.ok_or(JournalError::Damaged)?;
    // The version first: of another one nothing else can be expected to be as it is here.
    let value: serde_json::Value = serde_json::from_slice(first).map_err(|_| JournalError::Damaged)?;
    match value.get("version").and_then(serde_json::Value::as_u64) {
        Some(version) if version == u64::from(JOURNAL_VERSION) => {}
        Some(version) => return Err(JournalError::OtherVersion(version)),
        None => return Err(JournalError::Damaged),
    }
    let header = serde_json::from_value(value).map_err(|_| JournalError::Damaged)?;
    let mut runs = Vec::new();
    for line in records {
        let Some(run) = record(line).and_then(|text| serde_json::from_slice(text).ok()) else { break };
        runs.push(run);
        whole += line.len();
    }
    Ok(Journal { header, runs, whole })
}

/// What a line has to say, if it is whole.
fn record(line: &[u8]) -> Option<&[u8]> {
    let (digits, rest) = line.strip_suffix(b"\n")?.split_at_checked(DIGITS)?;
    let text = rest.strip_prefix(b" ")?;
    (*digits == *checksum(text).as_bytes()).then_some(text)
}

fn checksum(text: &[u8]) -> String {
    Sha256::digest(text).iter().take(DIGITS / 2).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::ThreadName;
    use crate::witness::Turn;

    fn journal() -> (Header, Vec<Execution>, String) {
        let options = BTreeMap::from([("--memory".to_owned(), "tso".to_owned())]);
        let header = Header { version: JOURNAL_VERSION, ordain: "1".into(), build: "ab".into(), options };
        let run = |points| Execution {
            schedule: vec![Turn::Run { thread: ThreadName::main(), points }],
            ..Execution::default()
        };
        let runs = vec![run(3), run(44), run(5)];
        let lines = runs.iter().map(|run| line(run).unwrap());
        let text = line(&header).unwrap() + &lines.collect::<String>();
        (header, runs, text)
    }

    #[test]
    fn a_journal_comes_back_as_it_was() {
        let (header, runs, text) = journal();
        assert_eq!(from_text(text.as_bytes()), Ok(Journal { header, runs, whole: text.len() }));
    }

    #[test]
    fn wherever_it_is_cut_the_whole_records_are_left() {
        let (header, runs, text) = journal();
        let first = text.find('\n').unwrap() + 1;
        for end in 0..text.len() {
            let cut = &text.as_bytes()[..end];
            match from_text(cut) {
                Err(error) => assert!(end < first && error == JournalError::Damaged, "cut at {end}: {error}"),
                Ok(journal) => {
                    let lines = cut.iter().filter(|&&byte| byte == b'\n').count();
                    assert_eq!(journal.header, header);
                    assert_eq!(journal.runs, runs[..lines - 1]);
                    assert!(journal.whole <= end && cut[journal.whole..].iter().all(|&byte| byte != b'\n'));
                }
            }
        }
    }

    #[test]
    fn no_change_goes_unnoticed() {
        let (header, runs, text) = journal();
        for at in 0..text.len() {
            let mut changed = text.clone().into_bytes();
            changed[at] ^= 1;
            if let Ok(journal) = from_text(&changed) {
                assert_eq!(journal.header, header, "byte {at}");
                assert!(journal.runs.len() < runs.len() && runs.starts_with(&journal.runs), "byte {at}");
            }
        }
    }

    #[test]
    fn another_version_is_told_apart() {
        let (mut header, ..) = journal();
        header.version = 7;
        assert_eq!(from_text(line(&header).unwrap().as_bytes()), Err(JournalError::OtherVersion(7)));
    }
}
