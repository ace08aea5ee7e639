//! What the command line understands.

use crate::command::{cc, explore, follow, predict, record, replay, reproduce, run};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use ordain_model::failure::FailureKind;
use ordain_model::witness::MemoryModel;
use ordain_vm::schedulers::{Pct, Random, RoundRobin, RunToBlock, Scheduler, StoreBuffers};
use ordain_vm::{Access, Grant, Inputs};
use std::path::PathBuf;
use std::time::Duration;

#[derive(Parser, Debug)]
#[command(name = "ordain", version, about = "Finds, reproduces and rules out concurrency bugs in C programs")]
#[command(
    after_help = "Exit codes: 0 nothing wrong, 1 a confirmed bug, 2 bad usage or input, 3 not finished, 70 internal error."
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    Cc(cc::Options),
    /// clang++, with bitcode kept
    #[command(name = "c++")]
    Cplusplus(cc::Options),
    Run(run::Options),
    Explore(explore::Options),
    Replay(replay::Options),
    Record(record::Options),
    Follow(follow::Options),
    Reproduce(reproduce::Options),
    Predict(predict::Options),
    /// Reads bitcode for the process that started this one: LLVM may crash, and then only this ends
    #[command(name = ordain_ir::child::SUBCOMMAND, hide = true)]
    ReadBitcode,
    /// Instruments bitcode for the process that started this one, for the same reason
    #[command(name = ordain_instrument::child::SUBCOMMAND, hide = true)]
    Instrument,
}

/// The program under analysis, as every command that takes one names it.
#[derive(Args, Clone, Debug)]
pub struct ProgramOptions {
    /// C sources, .bc or .ll files, or an executable made by `ordain cc`
    #[arg(value_name = "PROG", required = true)]
    pub files: Vec<PathBuf>,
    /// Flags for clang when compiling sources, e.g. --cflags "-DN=3 -Iinclude"; may be repeated
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    pub cflags: Vec<String>,
    /// A C file with what the program calls and nobody defines; may be repeated
    #[arg(long = "model", value_name = "FILE")]
    pub models: Vec<PathBuf>,
    /// Arguments of the program
    #[arg(value_name = "ARGS", last = true)]
    pub args: Vec<String>,
}

impl ProgramOptions {
    /// One flag per entry, as clang wants them.
    pub fn clang_flags(&self) -> Vec<String> {
        self.cflags.iter().flat_map(|flags| flags.split_whitespace()).map(str::to_owned).collect()
    }
}

/// What a program may see of the world outside.
#[derive(Args, Debug, Default)]
pub struct OutsideOptions {
    /// Let the program read this file, or the files in this directory; may be repeated
    #[arg(long, value_name = "PATH")]
    pub allow: Vec<PathBuf>,
    /// Let the program read and write this file, or the files in this directory; may be repeated
    #[arg(long, value_name = "PATH")]
    pub allow_write: Vec<PathBuf>,
}

impl OutsideOptions {
    pub fn grants(&self) -> Vec<Grant> {
        let grant = |access: Access| move |path: &PathBuf| Grant { path: path.clone(), access };
        let read = self.allow.iter().map(grant(Access::Read));
        read.chain(self.allow_write.iter().map(grant(Access::Write))).collect()
    }
}

/// How long a run PCT should expect; longer ones only make its change points come early.
const PCT_EXPECTED_POINTS: u64 = 1000;

/// Who goes next in a run.
#[derive(Args, Debug)]
pub struct SchedulerOptions {
    /// A random thread at every point, and random inputs, from this seed
    #[arg(long, value_name = "SEED", group = "scheduler")]
    random: Option<u64>,
    /// Random priorities that change DEPTH - 1 times (PCT); the seed is that of --seed
    #[arg(long, value_name = "DEPTH", group = "scheduler")]
    pct: Option<u32>,
    /// Seed of --pct
    #[arg(long, value_name = "SEED", default_value_t = 0, requires = "pct")]
    seed: u64,
    /// A different thread at every point, in turn; default: each thread goes on until it has to wait
    #[arg(long, group = "scheduler")]
    round_robin: bool,
}

impl SchedulerOptions {
    pub fn scheduler(&self, memory: MemoryModel) -> Box<dyn Scheduler> {
        match (self.random, self.pct) {
            (Some(seed), _) if memory != MemoryModel::Sc => Box::new(StoreBuffers::new(seed)),
            (Some(seed), _) => Box::new(Random::new(seed)),
            (None, Some(depth)) => Box::new(Pct::new(depth, PCT_EXPECTED_POINTS, self.seed)),
            (None, None) if self.round_robin => Box::new(RoundRobin::new(1)),
            (None, None) => Box::new(RunToBlock::default()),
        }
    }

    pub fn inputs(&self) -> Inputs {
        self.random.map_or_else(Inputs::zero, Inputs::random)
    }
}

/// What every command understands.
#[derive(Args, Debug)]
pub struct CommonOptions {
    /// Print one JSON object instead of words
    #[arg(long)]
    pub json: bool,
    /// No progress line, no story: the outcome only
    #[arg(long, short)]
    pub quiet: bool,
}

pub fn memory_model() -> impl TypedValueParser<Value = MemoryModel> {
    PossibleValuesParser::new(["sc", "tso", "pso"]).map(|name| match name.as_str() {
        "tso" => MemoryModel::Tso,
        "pso" => MemoryModel::Pso,
        _ => MemoryModel::Sc,
    })
}

pub fn failure_kind() -> impl TypedValueParser<Value = FailureKind> {
    PossibleValuesParser::new(FailureKind::ALL.map(FailureKind::name))
        .try_map(|name| FailureKind::from_name(&name).ok_or("unknown kind of failure"))
}

/// More searches than this would hardly find the memory they need.
const MOST_JOBS: usize = 64;

pub fn jobs(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(jobs @ 1..=MOST_JOBS) => Ok(jobs),
        _ => Err(format!("expected a number of threads from 1 to {MOST_JOBS}")),
    }
}

pub fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "expected a number of seconds".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|e| e.to_string())
}
