//! What was run, and how it ended: the file `run.json` of a recording.
//!
//! It is written before the program starts, without an ending, and again when it has ended, with checksums of all the
//! other files. A recording whose recorder was killed is one without an ending: it can be read all the same.

use crate::error::LogError;
use crate::table::{FollowTable, Level};
use ordain_model::witness::MemoryModel;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

pub const RUN_FILE: &str = "run.json";
pub const RUN_VERSION: u32 = 3;

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    pub version: u32,
    /// The hash of the canonical bitcode, in hex.
    pub build: String,
    /// The files that the program was loaded from, and how.
    pub program: Vec<String>,
    pub models: Vec<String>,
    pub cflags: Vec<String>,
    pub args: Vec<String>,
    pub log: Level,
    /// What the memory was that the program ran on: store buffers, if there were any, were in software.
    #[serde(default)]
    pub memory: MemoryModel,
    pub table: FollowTable,
    /// `None` if whoever recorded did not live to see it.
    pub ending: Option<Ending>,
    /// SHA-256 of the other files, by name, once the recording is finished.
    pub checksums: BTreeMap<String, String>,
}

/// How the process ended, as seen from outside.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    Exit(i32),
    Signal(i32),
    /// Ended by force after so many seconds.
    Hang(u64),
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::Exit(status) => write!(f, "it ended with status {status}"),
            Ending::Signal(signal) => write!(f, "it was ended by {}", signal_name(*signal)),
            Ending::Hang(seconds) => write!(f, "it had not ended after {seconds} seconds"),
        }
    }
}

/// What a signal is called.
pub fn signal_name(signal: i32) -> String {
    let known = match signal {
        2 => "SIGINT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        _ => return format!("signal {signal}"),
    };
    known.to_owned()
}

impl Run {
    pub fn read(directory: &Path) -> Result<Run, LogError> {
        let file = directory.join(RUN_FILE);
        let text = match std::fs::read(&file) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                let why = format!("it has no {RUN_FILE}");
                return Err(LogError::NotOne { file: directory.to_owned(), why });
            }
            Err(e) => return Err(LogError::unreadable(&file)(e)),
        };
        /// So that another version is told apart from a damaged file.
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        match serde_json::from_slice(&text) {
            Ok(Version { version: RUN_VERSION }) => {}
            Ok(Version { version }) => {
                let why = format!("its version is {version}, and this Ordain reads version {RUN_VERSION}");
                return Err(LogError::NotOne { file, why });
            }
            Err(e) => return Err(LogError::NotOne { file, why: e.to_string() }),
        }
        serde_json::from_slice(&text).map_err(|e| LogError::NotOne { file, why: e.to_string() })
    }

    /// Written beside and renamed, so that there is never half of it.
    pub fn write(&self, directory: &Path) -> Result<(), LogError> {
        let file = directory.join(RUN_FILE);
        let text =
            serde_json::to_string(self).map_err(|e| LogError::NotOne { file: file.clone(), why: e.to_string() })?;
        let beside = directory.join(format!("{RUN_FILE}.tmp"));
        let written = std::fs::write(&beside, text).and_then(|()| std::fs::rename(&beside, &file));
        written.map_err(LogError::unwritable(&file))
    }
}
