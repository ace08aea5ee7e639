//! `ordain.h`, where clang finds it.
//!
//! Dependency files of a build name the headers that were read, so the header has to stay where it was: it is kept in the
//! user's cache directory, under a name that says which version it is.

use sha2::{Digest, Sha256};
use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const HEADER: &str = include_str!("../../../include/ordain.h");
const NAME: &str = "ordain.h";

/// A directory with `ordain.h` in it.
pub(crate) enum HeaderDirectory {
    Kept(PathBuf),
    /// For users without a home that can be written to.
    Temporary(TempDir),
}

impl HeaderDirectory {
    pub fn new() -> io::Result<Self> {
        if let Some(path) = cache() {
            let kept = fs::read(path.join(NAME)).is_ok_and(|text| text == HEADER.as_bytes());
            if kept || keep(&path).is_ok() {
                return Ok(HeaderDirectory::Kept(path));
            }
        }
        let directory = tempfile::tempdir()?;
        fs::write(directory.path().join(NAME), HEADER)?;
        Ok(HeaderDirectory::Temporary(directory))
    }

    /// Puts the directory on clang's include path, last, and keeps its name out of the output.
    pub fn flags(&self) -> [String; 2] {
        let path = match self {
            HeaderDirectory::Kept(path) => path,
            HeaderDirectory::Temporary(directory) => directory.path(),
        };
        let path = path.display();
        [format!("-idirafter{path}"), format!("-ffile-prefix-map={path}=<ordain>")]
    }
}

fn cache() -> Option<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))?;
    let version: String = Sha256::digest(HEADER).iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    Some(base.join("ordain").join(format!("include-{version}")))
}

/// Writes beside and renames: other compilers may be looking.
fn keep(directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    let beside = tempfile::NamedTempFile::new_in(directory)?;
    fs::write(beside.path(), HEADER)?;
    beside.persist(directory.join(NAME))?;
    Ok(())
}
