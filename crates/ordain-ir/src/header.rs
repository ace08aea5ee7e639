//! `ordain.h`, where clang finds it.

use std::fs;
use std::io;
use tempfile::TempDir;

const HEADER: &str = include_str!("../../../include/ordain.h");

/// A temporary directory with `ordain.h` in it.
pub(crate) struct HeaderDirectory(TempDir);

impl HeaderDirectory {
    pub fn new() -> io::Result<Self> {
        let directory = tempfile::tempdir()?;
        fs::write(directory.path().join("ordain.h"), HEADER)?;
        Ok(HeaderDirectory(directory))
    }

    /// Puts the directory on clang's include path, last, and keeps its random name out of the output.
    pub fn flags(&self) -> [String; 2] {
        let path = self.0.path().display();
        [format!("-idirafter{path}"), format!("-ffile-prefix-map={path}=<ordain>")]
    }

    pub fn path(&self) -> &std::path::Path {
        self.0.path()
    }
}
