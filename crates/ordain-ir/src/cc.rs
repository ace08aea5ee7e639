//! `ordain cc` and `ordain c++`: clang, with bitcode kept.
//!
//! Objects are ordinary ELF files that carry bitcode beside machine code, so build systems and archives see nothing new.
//! When an executable is linked, the linker hands out the bitcode of the whole program before it optimises it (it knows
//! which members of which archives are in it), and that is appended to the executable (see `embed`). Everything else is
//! clang's own affair, down to its messages and its exit code.

mod arguments;

use crate::compile::CLANG;
use crate::embed;
use crate::error::LoadError;
use crate::header::HeaderDirectory;
use arguments::{Arguments, Step};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use tempfile::TempDir;

/// What the compiler is called as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    C,
    /// Links the C++ library, and takes `.h` for C++.
    Cplusplus,
}

/// Runs clang with these arguments and keeps bitcode in what it makes. The status is clang's; its messages went where they
/// always go.
pub fn cc(language: Language, arguments: &[OsString]) -> Result<ExitStatus, LoadError> {
    let header = HeaderDirectory::new().map_err(LoadError::Temporary)?;
    let understood = Arguments::new(arguments);
    let mut clang = Command::new(CLANG);
    if language == Language::Cplusplus {
        clang.arg("--driver-mode=g++");
    }
    // What a call has no use for must not become a warning: build systems take those for an answer.
    clang.arg("--start-no-unused-arguments").args(header.flags()).args(GENERAL_FLAGS).arg("--end-no-unused-arguments");
    // Ours come last where they have to win, but before what clang takes for file names only.
    let names = arguments.iter().position(|a| a == "--").unwrap_or(arguments.len());
    let (options, names) = arguments.split_at(names);
    clang.args(options).arg("--start-no-unused-arguments");
    let place = match understood.step {
        Step::Link => Place::beside(&understood.output)?,
        Step::Compile | Step::Other => None,
    };
    if understood.step != Step::Other {
        clang.args(BITCODE_FLAGS);
    }
    if let Some(place) = &place {
        // Clang goes on believing in the user's output, and names other files after it. Only the linker is told better: it
        // takes the last of several outputs.
        clang.args(["-Wl,--save-temps=preopt", "-Xlinker", "-o", "-Xlinker"]).arg(&place.executable);
    }
    clang.arg("--end-no-unused-arguments").args(names);
    let status = clang.status().map_err(|source| LoadError::ToolMissing { tool: CLANG.into(), source })?;
    if let Some(place) = place.filter(|place| status.success() && place.executable.exists()) {
        place.finish(&understood.output)?;
    }
    Ok(status)
}

/// Code that is not optimised stays open to our own passes.
const GENERAL_FLAGS: [&str; 3] = ["-g", "-Xclang", "-disable-O0-optnone"];
const BITCODE_FLAGS: [&str; 3] = ["-flto=full", "-ffat-lto-objects", "-fuse-ld=lld"];

/// Where an executable is linked before it goes where it belongs: a directory of its own, so that calls at the same time
/// do not see each other's temporary files, beside the output, so that it can be renamed into place.
struct Place {
    directory: TempDir,
    executable: PathBuf,
}

impl Place {
    /// `None` if the output is something else than a file, such as /dev/null: there is nothing to keep bitcode in.
    fn beside(output: &Path) -> Result<Option<Place>, LoadError> {
        if fs::metadata(output).is_ok_and(|m| !m.is_file()) {
            return Ok(None);
        }
        let parent = match output.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        if !parent.is_dir() {
            // The linker has its own words for that.
            return Ok(None);
        }
        let directory = tempfile::Builder::new()
            .prefix(".ordain-cc-")
            .tempdir_in(parent)
            .map_err(|source| LoadError::Unwritable { path: parent.to_owned(), source })?;
        let executable = directory.path().join("program");
        Ok(Some(Place { directory, executable }))
    }

    /// Gives the executable its bitcode, and puts it where it belongs.
    fn finish(&self, output: &Path) -> Result<(), LoadError> {
        let unwritable = |source| LoadError::Unwritable { path: output.to_owned(), source };
        if let Some(bitcode) = self.bitcode()? {
            embed::append(&self.executable, &bitcode).map_err(unwritable)?;
        }
        fs::rename(&self.executable, output).map_err(unwritable)
    }

    /// The bitcode of the whole program; none if nothing in it was compiled with bitcode.
    fn bitcode(&self) -> Result<Option<Vec<u8>>, LoadError> {
        let path = self.directory.path().join("program.0.0.preopt.bc");
        match fs::read(path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(LoadError::Temporary(error)),
        }
    }
}
