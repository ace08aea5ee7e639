//! Witnesses as text: JSON, with a checksum over all of it.
//!
//! The checksum stands first and covers every other byte of the text, so that a witness that was cut short or changed
//! anywhere is told apart from one that is merely about another program.

use crate::witness::{WITNESS_VERSION, Witness};
use sha2::{Digest, Sha256};
use thiserror::Error;

/// How the text begins, up to the checksum.
const HEAD: &str = "{\n  \"checksum\": \"";
const DIGITS: usize = 64;

#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum WitnessError {
    #[error("is not a witness: {0}")]
    NotOne(String),
    #[error("is a witness of version {0}, and this ordain reads version {WITNESS_VERSION}")]
    OtherVersion(u64),
    #[error("is a damaged witness: {0}")]
    Damaged(String),
}

/// The text of a witness file.
pub fn to_text(witness: &Witness) -> Result<String, serde_json::Error> {
    let text = serde_json::to_string_pretty(witness)?;
    let rest = format!("\",{}\n", text.strip_prefix('{').unwrap_or(&text));
    Ok(format!("{HEAD}{}{rest}", checksum(rest.as_bytes())))
}

pub fn from_text(text: &[u8]) -> Result<Witness, WitnessError> {
    let value: serde_json::Value =
        serde_json::from_slice(text).map_err(|error| WitnessError::NotOne(error.to_string()))?;
    // The version first: of another one nothing else can be expected to be as it is here.
    match value.get("version").and_then(serde_json::Value::as_u64) {
        Some(version) if version == u64::from(WITNESS_VERSION) => {}
        Some(version) => return Err(WitnessError::OtherVersion(version)),
        None => return Err(WitnessError::NotOne("it has no version".to_owned())),
    }
    let sealed = text.strip_prefix(HEAD.as_bytes()).and_then(|rest| rest.split_at_checked(DIGITS));
    match sealed {
        Some((digits, rest)) if *digits == *checksum(rest).as_bytes() => {}
        _ => return Err(WitnessError::Damaged("its checksum does not match".to_owned())),
    }
    serde_json::from_value(value).map_err(|error| WitnessError::Damaged(error.to_string()))
}

fn checksum(rest: &[u8]) -> String {
    Sha256::digest(rest).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::{Answer, Answers};
    use crate::failure::{Failure, FailureKind, Place};
    use crate::names::ThreadName;
    use crate::witness::{Claim, Execution, PathHash};
    use std::collections::BTreeMap;

    fn witness() -> Witness {
        let failure = Failure {
            kind: FailureKind::Abort,
            message: "abort".into(),
            thread: ThreadName::main(),
            place: Place { file: "a.c".into(), line: 3 },
            others: Vec::new(),
            stack: Vec::new(),
        };
        with_claim(Claim::Failure(failure))
    }

    /// Of a run that ends well.
    fn test() -> Witness {
        let path = PathHash::of(&BTreeMap::from([(&ThreadName::main(), vec![[1, 2, 3]])]));
        Witness { path: Some(path), ..with_claim(Claim::Exit { status: 3 }) }
    }

    fn answers() -> Answers {
        let answers = [(5, vec![0, 0x7f, 0xff]), (-2, vec![])].map(|(result, bytes)| Answer { result, bytes });
        Answers::recorded(BTreeMap::from([(ThreadName::main().child(1), answers.to_vec())]))
    }

    fn with_claim(claim: Claim) -> Witness {
        Witness {
            version: WITNESS_VERSION,
            build: "00".into(),
            program: vec!["a.c".into()],
            models: Vec::new(),
            cflags: Vec::new(),
            args: Vec::new(),
            environment: vec!["LANG=C".into()],
            execution: Execution { answers: answers(), ..Execution::default() },
            claim,
            path: None,
        }
    }

    #[test]
    fn what_is_written_is_read() {
        for written in [witness(), test()] {
            let text = to_text(&written).expect("has a text");
            assert_eq!(from_text(text.as_bytes()), Ok(written));
        }
    }

    #[test]
    fn any_changed_bit_and_any_missing_byte_is_noticed() {
        let text = to_text(&witness()).expect("has a text").into_bytes();
        for i in 0..text.len() {
            assert!(from_text(&text[..i]).is_err(), "cut at {i}");
            for bit in 0..8 {
                let mut damaged = text.clone();
                damaged[i] ^= 1 << bit;
                assert!(from_text(&damaged).is_err(), "byte {i}, bit {bit}");
            }
        }
    }
}
