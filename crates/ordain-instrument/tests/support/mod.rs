//! Runs programs in the machine and natively, side by side.
#![allow(dead_code, reason = "every test binary uses a part of this")]

use ordain_instrument::{NativeOutcome, Output, ReplayBinary, Start, build_replay};
use ordain_ir::facts::Facts;
use ordain_ir::{CompileOptions, Loaded, load};
use ordain_model::failure::{Failure, FailureKind, Place};
use ordain_model::names::ThreadName;
use ordain_model::witness::{Claim, Execution, MemoryModel};
use ordain_vm::schedulers::{Outcome, Random, Scheduler, StoreBuffers, run};
use ordain_vm::{Config, End, Inputs, Machine};
use std::path::{Path, PathBuf};

const STEP_LIMIT: u64 = 20_000;

/// A program in both forms.
pub struct Program {
    pub loaded: Loaded,
    args: Vec<String>,
    facts: Facts,
    native: ReplayBinary,
    _dir: tempfile::TempDir,
}

impl Program {
    pub fn from_text(text: &str) -> Program {
        Program::with_args(text, &[])
    }

    pub fn with_args(text: &str, args: &[&str]) -> Program {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let path = dir.path().join("program.c");
        std::fs::write(&path, text).expect("can be written");
        Program::from_file(&path, &[], args)
    }

    pub fn from_file(path: &Path, cflags: &[String], args: &[&str]) -> Program {
        ordain_ir::child::set_helper(PathBuf::from(env!("CARGO_BIN_EXE_ordain-instrument-bitcode")));
        let dir = tempfile::tempdir().expect("a temporary directory");
        let args: Vec<String> = args.iter().map(|&a| a.to_owned()).collect();
        let options = CompileOptions { cflags: cflags.to_vec(), args: args.clone(), ..CompileOptions::default() };
        let loaded = load(&[path.to_owned()], &options).unwrap_or_else(|e| panic!("{e}"));
        let facts = Facts::new(&loaded.program);
        let native = build_replay(&loaded.bitcode, &dir.path().join("replay")).unwrap_or_else(|e| panic!("{e}"));
        Program { loaded, args, facts, native, _dir: dir }
    }

    /// A run in the machine, with a schedule and inputs that follow from `seed`.
    pub fn random_run(&self, seed: u64) -> Option<(Execution, End)> {
        self.random_run_under(MemoryModel::Sc, seed)
    }

    pub fn random_run_under(&self, memory: MemoryModel, seed: u64) -> Option<(Execution, End)> {
        let config = Config { memory, ..Config::default() };
        let mut machine = Machine::alone(&self.loaded.program, &self.facts, config);
        machine.provide_inputs(Inputs::random(seed));
        let mut scheduler: Box<dyn Scheduler> = match memory {
            MemoryModel::Sc => Box::new(Random::new(seed)),
            MemoryModel::Tso | MemoryModel::Pso => Box::new(StoreBuffers::new(seed)),
        };
        match run(&mut machine, scheduler.as_mut(), STEP_LIMIT) {
            Outcome::Ended(end) => Some((machine.execution(), end)),
            Outcome::Limit | Outcome::Stopped => None,
        }
    }

    /// The first random run that fails with `kind`.
    pub fn failing_run(&self, kind: FailureKind) -> (Execution, Failure) {
        (0..2000)
            .filter_map(|seed| self.random_run(seed))
            .find_map(|(execution, end)| match end {
                End::Failed(failure) if failure.kind == kind => Some((execution, failure)),
                _ => None,
            })
            .unwrap_or_else(|| panic!("no random run fails with {kind}"))
    }

    pub fn replay(&self, execution: &Execution, claim: &Failure) -> NativeOutcome {
        self.claim(execution, &Claim::Failure(claim.clone()))
    }

    fn claim(&self, execution: &Execution, claim: &Claim) -> NativeOutcome {
        self.native
            .run(execution, Start { args: &self.args, ..Start::default() }, claim, Output::Discard)
            .unwrap_or_else(|e| panic!("{e}"))
    }

    /// Whether the native run ends as the machine's run did; else what happened.
    pub fn agrees(&self, execution: &Execution, end: &End) -> Result<(), String> {
        let (claim, expected) = match end {
            End::Failed(failure) => (Claim::Failure(failure.clone()), None),
            End::Exit(status) => (Claim::Exit { status: *status }, None),
            End::AssumeViolated => (Claim::Failure(nothing()), Some("does not hold".to_owned())),
            End::Unsupported { .. } => return Ok(()),
        };
        match (self.claim(execution, &claim), expected) {
            (NativeOutcome::Reproduced | NativeOutcome::CannotShow { .. }, None) => Ok(()),
            (NativeOutcome::NotReproduced { instead }, Some(expected)) if instead.ends_with(&expected) => Ok(()),
            (other, _) => Err(format!("the machine: {end:?}\nnatively: {other:?}\n{:?}", execution.schedule)),
        }
    }
}

/// A claim that no run meets.
fn nothing() -> Failure {
    let place = Place { file: String::new(), line: 0 };
    Failure {
        kind: FailureKind::Assertion,
        thread: ThreadName::main(),
        place,
        others: Vec::new(),
        message: String::new(),
        stack: Vec::new(),
    }
}
