//! A search's journal on disk: every run is in it, and has reached the disk, before anything is made of it.

use crate::error::CommandError;
use ordain_model::journal_text::{self, Header, Journal};
use ordain_model::witness::Execution;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

pub struct JournalFile {
    file: File,
    path: PathBuf,
}

impl JournalFile {
    /// The journal in `directory`, made if there is none, and the runs it has. It must be about the same search.
    pub fn open(directory: &Path, header: &Header) -> Result<(Self, Vec<Execution>), CommandError> {
        let path = directory.join("journal");
        std::fs::create_dir_all(directory).map_err(|e| CommandError::file("make", directory, &e))?;
        if !path.exists() {
            begin(directory, &path, header)?;
        }
        let failed = |e: &std::io::Error| CommandError::file("read", &path, e);
        let mut file = OpenOptions::new().read(true).write(true).open(&path).map_err(|e| failed(&e))?;
        if file.try_lock().is_err() {
            let message =
                format!("another search is using {}: wait for it, or give another directory.", path.display());
            return Err(CommandError::Input(message));
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(|e| failed(&e))?;
        let journal = journal_text::from_text(&text)
            .map_err(|e| refuse(directory, &path, &format!("{e}. Nothing in it can be relied on")))?;
        let Journal { header: known, runs, whole } = journal;
        if let Some(difference) = difference(&known, header) {
            return Err(refuse(directory, &path, &format!("is of another search: {difference}")));
        }
        // What was being written when the process ended.
        let cut = file.set_len(whole as u64).and_then(|()| file.seek(SeekFrom::End(0)));
        cut.map_err(|e| CommandError::file("write", &path, &e))?;
        Ok((JournalFile { file, path }, runs))
    }

    /// Adds a run; it has reached the disk when this returns.
    pub fn append(&mut self, run: &Execution) -> Result<(), String> {
        let line = journal_text::line(run).map_err(|e| e.to_string())?;
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(|e| format!("cannot write {}: {e}", self.path.display()))
    }
}

/// Written beside and renamed, so that there is never half a first line.
fn begin(directory: &Path, path: &Path, header: &Header) -> Result<(), CommandError> {
    let line = journal_text::line(header).map_err(|e| CommandError::Internal(e.to_string()))?;
    let write = || {
        let mut beside = tempfile::NamedTempFile::new_in(directory)?;
        beside.write_all(line.as_bytes())?;
        beside.as_file().sync_all()?;
        beside.persist(path)?;
        File::open(directory)?.sync_all()
    };
    write().map_err(|e: std::io::Error| CommandError::file("write", path, &e))
}

fn refuse(directory: &Path, path: &Path, why: &str) -> CommandError {
    CommandError::Input(format!(
        "{} {why}.\nGive --resume another directory, or remove {} to begin anew.",
        path.display(),
        directory.display()
    ))
}

/// What the first search was about that the second is not.
fn difference(known: &Header, now: &Header) -> Option<String> {
    if known.build != now.build {
        return Some("the program or its flags have changed since".to_owned());
    }
    if known.ordain != now.ordain {
        return Some(format!("it was made by ordain {}, and this is {}", known.ordain, now.ordain));
    }
    let names = known.options.keys().chain(now.options.keys());
    let mut changed = names.filter(|&name| known.options.get(name) != now.options.get(name));
    changed.next().map(|name| {
        let said = |header: &Header| header.options.get(name).map_or("not given".to_owned(), |v| format!("'{v}'"));
        format!("{name} was {}, and is {} now", said(known), said(now))
    })
}
