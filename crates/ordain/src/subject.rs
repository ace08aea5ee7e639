//! The program under analysis: loaded once, with everything a witness has to say about where it came from.

use crate::cli::ProgramOptions;
use crate::error::CommandError;
use ordain_instrument::{Focus, NativeOutcome, RecordOptions, Start};
use ordain_ir::facts::Facts;
use ordain_ir::program::BuildHash;
use ordain_ir::{CompileOptions, LoadError, Loaded, Refusal};
use ordain_model::witness::{Claim, Execution, MemoryModel, WITNESS_VERSION, Witness};
use ordain_record::{FollowTable, Level, Recording};
use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

pub struct Subject {
    pub loaded: Loaded,
    pub facts: Facts,
    files: Vec<PathBuf>,
    options: CompileOptions,
    /// Built when it is first asked for: code generation and linking take longer than a small exploration.
    native: OnceCell<Native>,
}

/// What a program was loaded from, and how.
pub struct Source {
    pub program: Vec<String>,
    pub models: Vec<String>,
    pub cflags: Vec<String>,
    pub args: Vec<String>,
    pub environment: Vec<String>,
}

struct Native {
    binary: ordain_instrument::ReplayBinary,
    /// Goes away with the binary in it.
    _directory: tempfile::TempDir,
}

impl Subject {
    pub fn load(options: &ProgramOptions) -> Result<Self, CommandError> {
        let models = options.models.clone();
        let (cflags, args) = (options.clang_flags(), options.args.clone());
        let compile = CompileOptions { cflags, args, models, ..CompileOptions::default() };
        Self::build(options.files.clone(), compile)
    }

    /// The program that a witness (from the file `path`) is about. It must still be the build that it was.
    /// Its models may have moved: `models`, if there are any, are taken instead of those that it names.
    pub fn of_witness(witness: &Witness, path: &Path, models: &[PathBuf]) -> Result<Self, CommandError> {
        let files = witness.program.iter().map(PathBuf::from).collect();
        let models =
            if models.is_empty() { witness.models.iter().map(PathBuf::from).collect() } else { models.to_vec() };
        let Witness { cflags, args, environment, .. } = witness.clone();
        let compile = CompileOptions { cflags, args, environment, models };
        let subject = Self::build(files, compile)?;
        subject.check_build(witness, path)?;
        Ok(subject)
    }

    /// The program that a recording (in the directory `path`) is of, with the environment that it had; like `of_witness`.
    pub fn of_recording(recording: &Recording, path: &Path, models: &[PathBuf]) -> Result<Self, CommandError> {
        let run = &recording.run;
        let files = run.program.iter().map(PathBuf::from).collect();
        let models = if models.is_empty() { run.models.iter().map(PathBuf::from).collect() } else { models.to_vec() };
        let environment = recording.environment().map_err(|e| CommandError::Input(e.to_string()))?;
        let (cflags, args) = (run.cflags.clone(), run.args.clone());
        let subject = Self::build(files, CompileOptions { cflags, args, environment, models })?;
        if run.build == subject.build_hash() {
            return Ok(subject);
        }
        Err(CommandError::Input(format!(
            "{} is a recording of another build of {}: the program or its flags have changed since.\n\
             Go back to that version of the program, or record it again with `ordain record`.",
            path.display(),
            run.program.join(", ")
        )))
    }

    pub fn check_build(&self, witness: &Witness, path: &Path) -> Result<(), CommandError> {
        if witness.build == self.build_hash() {
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
        Ok(Subject { loaded, facts, files, options, native: OnceCell::new() })
    }

    /// The hash of the build, in hex.
    pub fn build_hash(&self) -> String {
        hex(&self.loaded.program.build)
    }

    /// What the program is called in messages and file names.
    pub fn name(&self) -> String {
        self.files.first().and_then(|f| f.file_name()).unwrap_or_default().to_string_lossy().into_owned()
    }

    pub fn stem(&self) -> String {
        self.files.first().and_then(|f| f.file_stem()).unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Where the program came from, so that it can be loaded again from anywhere.
    pub fn source(&self) -> Source {
        let absolute = |files: &[PathBuf]| {
            let absolute = |file: &PathBuf| std::path::absolute(file).unwrap_or_else(|_| file.clone());
            files.iter().map(|file| absolute(file).display().to_string()).collect()
        };
        Source {
            program: absolute(&self.files),
            models: absolute(&self.options.models),
            cflags: self.options.cflags.clone(),
            args: self.options.args.clone(),
            environment: self.options.environment.clone(),
        }
    }

    pub fn witness(&self, execution: Execution, claim: Claim) -> Witness {
        let Source { program, models, cflags, args, environment } = self.source();
        Witness {
            version: WITNESS_VERSION,
            build: self.build_hash(),
            program,
            models,
            cflags,
            args,
            environment,
            execution,
            claim,
            path: None,
        }
    }

    fn start(&self) -> Start<'_> {
        Start { args: &self.options.args, environment: &self.options.environment }
    }

    /// Lets a native build of the program follow `execution`.
    pub fn replay_natively(&self, execution: &Execution, claim: &Claim) -> Result<NativeOutcome, CommandError> {
        let native = self.native()?;
        native.binary.run(execution, self.start(), claim, ordain_instrument::Output::Discard).map_err(broken)
    }

    /// Lets a native build of the program follow `execution` in gdb, and leaves it to the user there. `options` are gdb's.
    pub fn debug_natively(
        &self,
        execution: &Execution,
        claim: &Claim,
        focus: &Focus,
        options: &[String],
    ) -> Result<ExitStatus, CommandError> {
        let debugged = self.native()?.binary.debug(execution, self.start(), claim, focus, options);
        debugged.map_err(|error| match error {
            ordain_instrument::Error::CannotStart { tool, source } => CommandError::Input(format!(
                "cannot start {tool}: {source}; --gdb needs GNU gdb in PATH (Debian's package is called gdb)"
            )),
            error => broken(error),
        })
    }

    /// Builds the executable `out` that records what it does.
    pub fn build_recorder(&self, level: Level, memory: MemoryModel, out: &Path) -> Result<FollowTable, CommandError> {
        let Loaded { bitcode, program, .. } = &self.loaded;
        let private = match memory {
            MemoryModel::Sc => ordain_analysis::private(program).points(program),
            // Whose stores are whose is the buffers' business.
            _ => Vec::new(),
        };
        let options = RecordOptions { build: program.build.0, level, memory, private };
        ordain_instrument::build_recorder(bitcode, &options, out).map_err(|error| match error {
            ordain_instrument::Error::Unsupported(what) => CommandError::Unsupported(what),
            error => CommandError::Internal(format!("recording: {error}")),
        })
    }

    fn native(&self) -> Result<&Native, CommandError> {
        if let Some(native) = self.native.get() {
            return Ok(native);
        }
        let directory = tempfile::tempdir()
            .map_err(|e| CommandError::Input(format!("cannot make a temporary directory: {e}; is TMPDIR writable?")))?;
        let path = directory.path().join("replay");
        let binary = ordain_instrument::build_replay(&self.loaded.bitcode, &path).map_err(broken)?;
        Ok(self.native.get_or_init(|| Native { binary, _directory: directory }))
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

fn broken(error: ordain_instrument::Error) -> CommandError {
    CommandError::Internal(format!("native replay: {error}"))
}
