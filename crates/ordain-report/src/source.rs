//! Lines of source files, where they can be read.

use std::collections::HashMap;

#[derive(Default)]
pub struct Sources {
    files: HashMap<String, Option<Vec<String>>>,
}

impl Sources {
    /// The text of a line (from 1) without its indentation; nothing if the file or the line is not there.
    pub fn line(&mut self, file: &str, line: u32) -> Option<&str> {
        let lines = self.files.entry(file.to_owned()).or_insert_with(|| {
            let text = std::fs::read(file).ok()?;
            Some(String::from_utf8_lossy(&text).lines().map(|l| l.trim().to_owned()).collect())
        });
        lines.as_ref()?.get((line as usize).checked_sub(1)?).map(String::as_str)
    }
}
