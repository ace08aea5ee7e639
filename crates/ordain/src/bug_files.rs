//! Bugs that a search has found: each is shortened, confirmed, written down as a witness and shown.

use crate::cli::CommonOptions;
use crate::error::CommandError;
use crate::output::tell;
use crate::subject::Subject;
use crate::{playback, present, witness_file};
use ordain_instrument::NativeOutcome;
use ordain_model::failure::{Failure, FailureKind};
use ordain_model::witness::Claim;
use ordain_report::json::{Bug, Confirmation};
use ordain_vm::Outside;
use std::path::{Path, PathBuf};

/// Shortening an execution means to run it again and again: of longer ones only the way to where it happens would get shorter.
const MOST_SHORTENED: u64 = 100_000;

pub struct BugFiles<'o> {
    /// Confirm natively as well.
    pub native: bool,
    pub directory: &'o Path,
    pub common: &'o CommonOptions,
}

impl BugFiles<'_> {
    pub fn write_all(&self, subject: &Subject, found: &[ordain_explore::Bug]) -> Result<Vec<Bug>, CommandError> {
        let mut written = Vec::new();
        found.iter().map(|bug| self.write(subject, bug, &mut written)).collect()
    }

    fn write(
        &self,
        subject: &Subject,
        found: &ordain_explore::Bug,
        written: &mut Vec<PathBuf>,
    ) -> Result<Bug, CommandError> {
        let execution = match found.execution.points() <= MOST_SHORTENED {
            true => ordain_vm::shorten(&subject.loaded.program, &subject.facts, &found.execution, &found.failure),
            false => found.execution.clone(),
        };
        let playback = playback::follow(subject, &execution, &Outside::default())?;
        let Some(shown) = playback.failure_as(&found.failure) else {
            let claim = present::headline(&found.failure);
            return Err(CommandError::Internal(format!("a witness does not show its claim: {}", claim.trim_end())));
        };
        let failure = match shown.kind {
            // It may be another pair of threads that shows the race first.
            FailureKind::Race => shown,
            _ => Failure { stack: shown.stack, ..found.failure.clone() },
        };
        let witness = subject.witness(execution, Claim::Failure(failure.clone()));
        let native = match self.native {
            true => Some(subject.replay_natively(&witness.execution, &witness.claim)?),
            false => None,
        };
        let path = witness_file::write_named(self.directory, &subject.stem(), &witness, &failure, written)?;
        if !self.common.json {
            let story = match self.common.quiet {
                true => present::headline(&failure),
                false => present::failure(subject, &playback, &witness.execution, &failure),
            };
            tell(&format!("{story}{}{}\n", present::confirmation(native.as_ref()), present::replay_hint(&path)));
        }
        let mut confirmed = vec![Confirmation::Vm];
        confirmed.extend((native == Some(NativeOutcome::Reproduced)).then_some(Confirmation::Native));
        let switches = ordain_report::switches(&witness.execution);
        let bug = Bug::new(&failure, Some(path.display().to_string()), switches, confirmed);
        written.push(path);
        Ok(bug)
    }
}
