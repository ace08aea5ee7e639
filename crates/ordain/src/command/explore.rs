//! `ordain explore`: what can go wrong, over all schedules and all inputs.

mod progress;
mod report;
mod tests;

use crate::bug_files::BugFiles;
use crate::cli::{self, CommonOptions, ProgramOptions};
use crate::error::{CommandError, Outcome};
use crate::interrupt::interrupted_by_signals;
use crate::journal_file::JournalFile;
use crate::output::{ProgressLine, say, tell};
use crate::present;
use crate::subject::Subject;
use clap::{Args, ValueEnum};
use ordain_explore::{Classes, Journal, Paths, Progress, Summary};
use ordain_model::failure::FailureKind;
use ordain_model::journal_text::{Header, JOURNAL_VERSION};
use ordain_model::witness::MemoryModel;
use ordain_report::json::Verdict;
use progress::Teller;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Find everything that can go wrong, over all schedules and all inputs
#[derive(Args, Debug)]
pub struct Options {
    #[command(flatten)]
    program: ProgramOptions,
    /// Memory model
    #[arg(long, value_parser = cli::memory_model(), default_value = "sc")]
    memory: MemoryModel,
    /// What counts as a bug, e.g. assertion,deadlock; default: everything
    #[arg(long, value_name = "KINDS", value_parser = cli::failure_kind(), value_delimiter = ',')]
    check: Vec<FailureKind>,
    /// Run one execution per combination of the threads' paths, and count them; --paths=count only counts
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "run")]
    paths: Option<PathsOption>,
    /// Write each of these executions into DIR, as a test for `ordain replay`; has --paths in it
    #[arg(long, value_name = "DIR")]
    tests: Option<PathBuf>,
    /// Stop at the first bug
    #[arg(long)]
    first: bool,
    /// Cut loops after N rounds and recursion at depth N, where inputs or other threads decide how often; the verdict says so
    #[arg(long, value_name = "N")]
    unroll: Option<u32>,
    /// Count as bugs only what the solver was asked for and found, not what runs show besides: a test of the model
    #[arg(long, hide = true)]
    only_asked: bool,
    /// Assume that waits for condition variables never end without a signal
    #[arg(long)]
    no_spurious: bool,
    /// After `safe`: run this many random schedules with random inputs, and insist that the model has them all
    #[arg(long, value_name = "N", default_value_t = 0)]
    audit: u32,
    /// Give up after this many seconds, with what is known by then
    #[arg(long, value_name = "SECONDS", value_parser = cli::seconds)]
    time: Option<Duration>,
    /// Leave questions open that take the solver more than N conflicts: a limit that does not depend on the machine's speed
    #[arg(long, value_name = "N")]
    effort: Option<u64>,
    /// Write every run down in DIR, and begin with those that are there: goes on where an earlier search was stopped or killed
    #[arg(long, value_name = "DIR", conflicts_with_all = ["paths", "tests"])]
    resume: Option<PathBuf>,
    /// Search with N threads: each asks a share of the questions
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = cli::jobs, conflicts_with_all = ["paths", "tests"])]
    jobs: usize,
    /// Confirm each bug natively as well: runs the program as a process of yours, which nothing else here does
    #[arg(long)]
    native: bool,
    /// Where witness files go
    #[arg(short, value_name = "DIR", default_value = ".")]
    output: PathBuf,
    #[command(flatten)]
    pub common: CommonOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PathsOption {
    Run,
    Count,
}

impl Options {
    fn paths(&self) -> Option<Paths> {
        match (self.paths, &self.tests) {
            (None, None) => None,
            (Some(PathsOption::Count), _) => Some(Paths::Count),
            (Some(PathsOption::Run), _) | (None, Some(_)) => Some(Paths::Run),
        }
    }
}

pub fn run(options: &Options) -> Result<Outcome, CommandError> {
    let start = Instant::now();
    if options.tests.is_some() && options.paths() == Some(Paths::Count) {
        let message = "--tests writes executions, and --paths=count runs none.\nLeave one of them out.";
        return Err(CommandError::Input(message.to_owned()));
    }
    let subject = Subject::load(&options.program)?;
    let summary = explore(options, &subject, start)?;
    let files = BugFiles { native: options.native, directory: &options.output, common: &options.common };
    let bugs = files.write_all(&subject, &summary.bugs)?;
    let tests = match (&options.tests, &summary.paths) {
        (Some(directory), Some(Classes::Run(classes))) => Some(tests::write(&subject, classes, directory)?),
        _ => None,
    };
    let report = report::of(&summary, bugs, tests, start);
    match options.common.json {
        true => say(&report.to_line()),
        false => tell(&report::in_words(&subject, options, &report)),
    }
    Ok(match report.verdict {
        Verdict::Safe => Outcome::Clean,
        Verdict::Bug => Outcome::Bug,
        Verdict::Bounded | Verdict::Unknown => Outcome::Unfinished,
    })
}

fn explore(options: &Options, subject: &Subject, start: Instant) -> Result<Summary, CommandError> {
    let mut line = ProgressLine::new(options.common.quiet || options.common.json);
    let loading = start.elapsed();
    let mut teller = Teller::new(options.time.map(|time| loading + time));
    let mut show = |progress: &Progress| {
        if let Some(words) = teller.tell(progress, start.elapsed()) {
            line.show(&words);
        }
    };
    let asked = ordain_explore::Options {
        memory: options.memory,
        check: if options.check.is_empty() { FailureKind::ALL.to_vec() } else { options.check.clone() },
        paths: options.paths(),
        first: options.first,
        unroll: options.unroll,
        spurious: !options.no_spurious,
        audit: options.audit,
        time: options.time,
        effort: options.effort,
        jobs: options.jobs,
        only_asked: options.only_asked,
        interrupt: interrupted_by_signals()?,
        recorded: None,
    };
    let journal = journal(options, subject, &asked)?;
    ordain_explore::resume(&subject.loaded.program, &asked, journal, &mut show).map_err(|error| match error {
        ordain_explore::Error::Diverged(_) => CommandError::Internal(error.to_string()),
        ordain_explore::Error::Abandoned => CommandError::Internal(error.to_string()),
        ordain_explore::Error::Journal(_) | ordain_explore::Error::Threads(_) => CommandError::Input(error.to_string()),
    })
}

/// The journal that `--resume` asks for.
fn journal(
    options: &Options,
    subject: &Subject,
    asked: &ordain_explore::Options,
) -> Result<Journal<'static>, CommandError> {
    let Some(directory) = &options.resume else { return Ok(Journal::default()) };
    let kinds: Vec<&str> = asked.check.iter().map(|kind| kind.name()).collect();
    let mut decisive = BTreeMap::from([
        ("--memory".to_owned(), present::memory_name(asked.memory).to_owned()),
        ("--check".to_owned(), kinds.join(",")),
        ("--no-spurious".to_owned(), options.no_spurious.to_string()),
        ("ARGS".to_owned(), options.program.args.join(" ")),
    ]);
    decisive.extend(asked.unroll.map(|rounds| ("--unroll".to_owned(), rounds.to_string())));
    let header = Header {
        version: JOURNAL_VERSION,
        ordain: env!("CARGO_PKG_VERSION").to_owned(),
        build: subject.build_hash(),
        options: decisive,
    };
    let (mut file, earlier) = JournalFile::open(directory, &header)?;
    Ok(Journal { earlier, record: Box::new(move |run| file.append(run)) })
}
