//! The program under analysis: loaded once, with everything a witness has to say about where it came from.

use crate::cli::ProgramOptions;
use crate::error::CommandError;
use ordain_ir::facts::Facts;
use ordain_ir::program::BuildHash;
use ordain_ir::{CompileOptions, LoadError, Loaded, Refusal};
use ordain_model::failure::Failure;
use ordain_model::witness::{Execution, WITNESS_VERSION, Witness};
use std::path::{Path, PathBuf};

pub struct Subject {
    pub loaded: Loaded,
    pub facts: Facts,
    files: Vec<PathBuf>,
    options: CompileOptions,
}

impl Subject {
    pub fn load(options: &ProgramOptions) -> Result<Self, CommandError> {
        let compile = CompileOptions { cflags: options.clang_flags(), args: options.args.clone() };
        Self::build(options.files.clone(), compile)
    }

    pub fn check_build(&self, witness: &Witness, path: &Path) -> Result<(), CommandError> {
        if witness.build == hex(&self.loaded.program.build) {
            return Ok(());
        }
        Err(CommandError::Input(format!(
            "{} is a witness of another build of {}: the program or its flags have changed since.\n\
             Go back to that version of the program, or make a new witness with `ordain explore`.",
            path.display(),
            witness.program.join(", ")
        )))
    }

    fn build(files: Vec<PathBuf>, options: CompileOptions) -> Result<Self, CommandError> {
        let loaded = ordain_ir::load(&files, &options).map_err(refused)?;
        let facts = Facts::new(&loaded.program);
        Ok(Subject { loaded, facts, files, options })
    }

    pub fn witness(&self, execution: Execution, claim: Failure) -> Witness {
        let absolute = |file: &PathBuf| std::path::absolute(file).unwrap_or_else(|_| file.clone());
        Witness {
            version: WITNESS_VERSION,
            build: hex(&self.loaded.program.build),
            program: self.files.iter().map(|f| absolute(f).display().to_string()).collect(),
            cflags: self.options.cflags.clone(),
            args: self.options.args.clone(),
            execution,
            claim,
        }
    }
}

fn hex(build: &BuildHash) -> String {
    build.0.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Of what can go wrong while loading, most is the user's to put right.
pub fn refused(error: LoadError) -> CommandError {
    match error {
        LoadError::Refused(Refusal::Unsupported(what)) => CommandError::Unsupported(format!("unsupported: {what}")),
        LoadError::Internal(message) | LoadError::Refused(Refusal::Internal(message)) => {
            CommandError::Internal(message)
        }
        error => CommandError::Input(error.to_string()),
    }
}
