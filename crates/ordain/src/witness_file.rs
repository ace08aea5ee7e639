//! Witnesses on disk.

use crate::error::CommandError;
use ordain_model::failure::Failure;
use ordain_model::witness::Witness;
use ordain_model::witness_text::{self, WitnessError};
use std::path::{Path, PathBuf};

pub fn read(path: &Path) -> Result<Witness, CommandError> {
    let bytes = std::fs::read(path).map_err(|e| CommandError::file("read", path, &e))?;
    witness_text::from_text(&bytes).map_err(|error| {
        let advice = match error {
            WitnessError::NotOne(_) => "Give a file that `ordain explore` or `ordain run` wrote.",
            WitnessError::OtherVersion(_) | WitnessError::Damaged(_) => "Make it again with `ordain explore`.",
        };
        CommandError::Input(format!("{} {error}.\n{advice}", path.display()))
    })
}

/// Writes the witness of a failure into `directory` under the first free name of the form `STEM-KIND-LINE[-N].witness`,
/// where `taken` says which names this command has already used.
pub fn write_named(
    directory: &Path,
    stem: &str,
    witness: &Witness,
    failure: &Failure,
    taken: &[PathBuf],
) -> Result<PathBuf, CommandError> {
    let Failure { kind, place, .. } = failure;
    let mut path = directory.join(format!("{stem}-{kind}-{}.witness", place.line));
    let mut n = 2;
    while taken.contains(&path) {
        path = directory.join(format!("{stem}-{kind}-{}-{n}.witness", place.line));
        n += 1;
    }
    write(&path, witness)?;
    Ok(path)
}

/// Writes beside and renames, so that there is never half a witness.
pub fn write(path: &Path, witness: &Witness) -> Result<(), CommandError> {
    let failed = |e: &std::io::Error| CommandError::file("write", path, e);
    let directory = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(directory).map_err(|e| failed(&e))?;
    let text = witness_text::to_text(witness).map_err(|e| CommandError::Internal(e.to_string()))?;
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.tmp", std::process::id()));
    let written = std::fs::write(&beside, text).and_then(|()| std::fs::rename(&beside, path));
    written.map_err(|e| {
        // What was written of it is of no use; that it may not be there at all is fine.
        let _ = std::fs::remove_file(&beside);
        failed(&e)
    })
}
