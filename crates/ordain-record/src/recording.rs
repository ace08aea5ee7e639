//! A recording as a whole: its directory, read and checked, and sealed when it is finished.

use crate::error::LogError;
use crate::run::{RUN_FILE, Run};
use crate::threads::{Entry, ThreadLog, in_order, used_bytes};
use ordain_ir::program::{BuildHash, FuncId};
use ordain_model::names::ThreadName;
use ordain_rt::format::{DATA_SUFFIX, FUNCTIONS_FILE, PATH_SUFFIX, Tag, VALUES_SUFFIX};
use rustc_hash::FxHashMap;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The executable that was recorded, kept for whoever wants to look at it.
pub const EXECUTABLE: &str = "executable";

#[derive(Clone, Debug)]
pub struct Recording {
    pub run: Run,
    /// In the order of their names.
    pub threads: Vec<ThreadLog>,
    /// Which function has an address, in the process that was recorded.
    functions: FxHashMap<u64, FuncId>,
}

impl Recording {
    /// Reads the recording in `directory`. If it is finished, nothing may have changed since.
    pub fn read(directory: &Path) -> Result<Recording, LogError> {
        let run = Run::read(directory)?;
        for (name, checksum) in &run.checksums {
            let file = plain(directory, name)?;
            if checksum_of(&file)? != *checksum {
                return Err(LogError::Changed { file });
            }
        }
        let build = build_of(&run, directory)?;
        let mut threads = Vec::new();
        for name in names(directory)? {
            threads.extend(ThreadLog::read(directory, &name, &build.0)?);
        }
        if !threads.iter().any(|thread| thread.name.is_main()) {
            return Err(not_begun(directory, &format!("0{PATH_SUFFIX}")));
        }
        let functions = functions(directory)?;
        Ok(Recording { run, threads, functions })
    }

    /// The variables of the environment that the program had, each as `NAME=VALUE`.
    pub fn environment(&self) -> Result<Vec<String>, LogError> {
        let main = self.threads.iter().find(|thread| thread.name.is_main());
        let entries = main.iter().flat_map(|main| &main.data).filter(|entry| entry.tag == Tag::Environment);
        let text = |entry: &Entry| String::from_utf8(entry.bytes.strip_suffix(&[0]).unwrap_or(&entry.bytes).to_vec());
        entries
            .map(text)
            .collect::<Result<_, _>>()
            .map_err(|error| LogError::NotText { variable: String::from_utf8_lossy(error.as_bytes()).into_owned() })
    }

    /// Where functions were in the process that was recorded.
    pub fn functions(&self) -> impl Iterator<Item = (u64, FuncId)> {
        self.functions.iter().map(|(&address, &function)| (address, function))
    }

    /// The function at an address of the process that was recorded.
    pub fn function_at(&self, address: u64) -> Option<FuncId> {
        self.functions.get(&address).copied()
    }
}

/// The runtime makes some files before the program begins; a process that is killed before that has nothing to show.
fn not_begun(directory: &Path, missing: &str) -> LogError {
    let why = format!("{missing} is missing: the program did not get to its start");
    LogError::NotOne { file: directory.to_owned(), why }
}

/// The build that a run is of.
fn build_of(run: &Run, directory: &Path) -> Result<BuildHash, LogError> {
    let file = directory.join(RUN_FILE);
    let wrong = || LogError::NotOne { file, why: "the hash of its build is none".to_owned() };
    let digits: Option<Vec<u8>> = (0..run.build.len() / 2)
        .map(|i| run.build.get(2 * i..2 * i + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok()))
        .collect();
    digits.and_then(|bytes| bytes.try_into().ok()).map(BuildHash).ok_or_else(wrong)
}

/// A file of the directory itself: names lead nowhere else.
fn plain(directory: &Path, name: &str) -> Result<PathBuf, LogError> {
    if name.contains('/') || name.starts_with('.') {
        let why = format!("`{name}` is not the name of one of its files");
        return Err(LogError::NotOne { file: directory.join(RUN_FILE), why });
    }
    Ok(directory.join(name))
}

/// The threads that have logs.
fn names(directory: &Path) -> Result<Vec<ThreadName>, LogError> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(LogError::unreadable(directory))? {
        let entry = entry.map_err(LogError::unreadable(directory))?;
        let file = entry.file_name().to_string_lossy().into_owned();
        let name = file.strip_suffix(PATH_SUFFIX).and_then(|name| ThreadName::try_from(name.to_owned()).ok());
        names.extend(name);
    }
    names.sort();
    Ok(names)
}

fn functions(directory: &Path) -> Result<FxHashMap<u64, FuncId>, LogError> {
    let file = directory.join(FUNCTIONS_FILE);
    let bytes = match std::fs::read(&file) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Err(not_begun(directory, FUNCTIONS_FILE)),
        bytes => bytes.map_err(LogError::unreadable(&file))?,
    };
    if !bytes.len().is_multiple_of(8) {
        return Err(LogError::damaged(&file, bytes.len(), "the file ends in the middle of a word"));
    }
    let words = bytes.chunks_exact(8).map(|word| word.iter().rev().fold(0, |value, &b| value << 8 | u64::from(b)));
    let mut functions = FxHashMap::default();
    for (id, address) in words.enumerate() {
        // Of functions that became one, the first.
        functions.entry(address).or_insert(FuncId(id as u32));
    }
    Ok(functions)
}

/// Removes what a run left, so that the same executable can be run again.
pub fn clear(directory: &Path) -> Result<(), LogError> {
    for name in written_by_run(directory)? {
        let file = directory.join(name);
        std::fs::remove_file(&file).map_err(LogError::unwritable(&file))?;
    }
    Ok(())
}

/// The names of the files that a run wrote.
fn written_by_run(directory: &Path) -> Result<Vec<String>, LogError> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(LogError::unreadable(directory))? {
        let entry = entry.map_err(LogError::unreadable(directory))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        names.extend((is_log(&name) || name == FUNCTIONS_FILE).then_some(name));
    }
    Ok(names)
}

fn is_log(name: &str) -> bool {
    [PATH_SUFFIX, DATA_SUFFIX, VALUES_SUFFIX].iter().any(|suffix| name.ends_with(suffix))
}

/// The recording is finished: logs lose the room that was not needed, and what is there is written down.
pub fn seal(directory: &Path, run: &mut Run) -> Result<(), LogError> {
    let mut checksums = BTreeMap::new();
    for name in written_by_run(directory)? {
        let file = directory.join(&name);
        if is_log(&name) {
            trim(&file)?;
        }
        checksums.insert(name, checksum_of(&file)?);
    }
    run.checksums = checksums;
    run.write(directory)
}

/// Leaves the content in its order, and nothing that was never written.
fn trim(file: &Path) -> Result<(), LogError> {
    let bytes = std::fs::read(file).map_err(LogError::unreadable(file))?;
    let bytes = in_order(file, bytes)?;
    let used = used_bytes(file, &bytes);
    // Whoever is interrupted leaves the one or the other.
    let beside = file.with_extension("tmp");
    let written = std::fs::write(&beside, &bytes[..used]).and_then(|()| std::fs::rename(&beside, file));
    written.map_err(LogError::unwritable(file))
}

fn checksum_of(file: &Path) -> Result<String, LogError> {
    let bytes = std::fs::read(file).map_err(LogError::unreadable(file))?;
    Ok(Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}
