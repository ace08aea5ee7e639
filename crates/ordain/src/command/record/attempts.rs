//! Running a program again and again until it fails (`--attempts`).
//!
//! The executable is made once. A run that does not fail leaves nothing behind, so the log is that of the last.

use crate::error::CommandError;
use ordain_record::Ending;
use ordain_record::recording::clear;
use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::num::NonZeroU32;
use std::os::fd::AsFd;
use std::path::Path;

/// How often the program was run, and how the last of these runs ended.
pub struct Attempts {
    pub ending: Ending,
    pub made: u32,
}

/// Runs the program, which logs into `directory`, until it fails, `most` times at most.
pub fn until_failure(
    most: NonZeroU32,
    directory: &Path,
    mut run: impl FnMut() -> Result<Ending, CommandError>,
    fails: impl Fn(&Ending) -> bool,
) -> Result<Attempts, CommandError> {
    let mut input = Input::new();
    let mut made = 1;
    loop {
        let ending = run()?;
        if made == most.get() || fails(&ending) {
            return Ok(Attempts { ending, made });
        }
        clear(directory).map_err(super::unwritten)?;
        input.rewind();
        made += 1;
    }
}

/// What is said about them.
pub fn words(made: u32, failed: bool) -> String {
    match (made, failed) {
        (1, true) => "the first run failed".to_owned(),
        (2, true) => "the second run failed; the first did not".to_owned(),
        (_, true) => format!("run {made} failed; none before it did"),
        (_, false) => format!("none of {made} runs failed; the log is that of the last"),
    }
}

/// Standard input, if it is a file: every attempt reads it from where the first began. From anything else, such as a pipe,
/// an attempt gets what those before it have left.
struct Input(Option<(File, u64)>);

impl Input {
    fn new() -> Input {
        // Another descriptor of the same open file: both have one position.
        let copy = std::io::stdin().as_fd().try_clone_to_owned().map(File::from);
        Input(copy.and_then(|mut file| file.stream_position().map(|start| (file, start))).ok())
    }

    fn rewind(&mut self) {
        if let Some((file, start)) = &mut self.0 {
            // What has a position can be moved.
            let _ = file.seek(SeekFrom::Start(*start));
        }
    }
}
