//! One test per path class: the execution that `--paths` ran for it, as a witness of how that ends and which way its
//! threads go.

use crate::error::CommandError;
use crate::playback;
use crate::subject::Subject;
use crate::witness_file;
use ordain_model::witness::{Claim, Execution, Witness};
use ordain_report::json::Test;
use ordain_vm::{End, Outside};
use std::path::Path;

/// Writes one file per execution into `directory`: `STEM-path-NUMBER.witness`.
pub fn write(subject: &Subject, classes: &[Execution], directory: &Path) -> Result<Vec<Test>, CommandError> {
    let stem = subject.stem();
    let tests = classes.iter().enumerate().map(|(i, execution)| {
        let witness = witness(subject, execution)?;
        let path = directory.join(format!("{stem}-path-{:04}.witness", i + 1));
        witness_file::write(&path, &witness)?;
        Ok(Test { witness: path.display().to_string(), failure: witness.claim.failure().map(|failure| failure.kind) })
    });
    tests.collect()
}

/// What is claimed is what the machine shows when it runs the execution again.
fn witness(subject: &Subject, execution: &Execution) -> Result<Witness, CommandError> {
    let playback = playback::follow_paths(subject, execution, &Outside::default())?;
    let claim = match playback.machine.end() {
        Some(End::Exit(status)) => Claim::Exit { status: *status },
        Some(End::Failed(failure)) => Claim::Failure(failure.clone()),
        None | Some(End::AssumeViolated | End::Unsupported { .. }) => {
            let end = playback.describe_end();
            return Err(CommandError::Internal(format!("a test does not come to its end: {end}")));
        }
    };
    if !playback.shows(&claim) {
        return Err(CommandError::Internal(format!("a test goes another way: {}", playback.describe_end())));
    }
    Ok(Witness { path: Some(playback.path()), ..subject.witness(execution.clone(), claim) })
}
