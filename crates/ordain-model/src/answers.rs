//! What the world outside answered: the results of system calls, as a recording has them.
//!
//! An execution that has them needs no files, clock or chance: every system call returns what it returned when the run was
//! recorded. Calls are known by their thread and their number among that thread's, so answers do not depend on the schedule.

use crate::names::ThreadName;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The answer to one system call.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Answer {
    /// What the call returned: an error number has a minus before it.
    pub result: i64,
    /// What it wrote to the memory of the program.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        serialize_with = "as_digits",
        deserialize_with = "of_digits"
    )]
    pub bytes: Vec<u8>,
}

/// Of every thread, the answers to its system calls, in order. Copies share them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Answers(Option<Arc<BTreeMap<ThreadName, Vec<Answer>>>>);

impl Answers {
    /// What a recording has. From now on no system call is made that it does not have.
    pub fn recorded(answers: BTreeMap<ThreadName, Vec<Answer>>) -> Self {
        Answers(Some(Arc::new(answers)))
    }

    /// Whether system calls are answered in this way at all.
    pub fn are_recorded(&self) -> bool {
        self.0.is_some()
    }

    /// The answer to the `nth` system call (from 0) of `thread`.
    pub fn get(&self, thread: &ThreadName, nth: u32) -> Option<&Answer> {
        self.0.as_ref()?.get(thread)?.get(nth as usize)
    }

    pub fn of_threads(&self) -> impl Iterator<Item = (&ThreadName, &[Answer])> {
        self.0.iter().flat_map(|answers| answers.iter()).map(|(thread, answers)| (thread, &answers[..]))
    }
}

impl Serialize for Answers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.as_deref().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Answers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Answers(Option::deserialize(deserializer)?.map(Arc::new)))
    }
}

/// Two hexadecimal digits for each byte: a list of numbers would be twice as long.
fn as_digits<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>().serialize(serializer)
}

fn of_digits<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let digit = |&byte: &u8| (byte as char).to_digit(16).map(|digit| digit as u8);
    let byte = |pair: &[u8]| match pair {
        [high, low] => Some(digit(high)? << 4 | digit(low)?),
        _ => None,
    };
    let bytes: Option<Vec<u8>> = text.as_bytes().chunks(2).map(byte).collect();
    bytes.ok_or_else(|| D::Error::custom("bytes are not written in pairs of hexadecimal digits"))
}
