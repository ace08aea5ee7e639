//! `ordain explore`: what can go wrong, over all schedules and all inputs.

use crate::cli::{self, CommonOptions, ProgramOptions};
use crate::error::{CommandError, Outcome};
use crate::interrupt::interrupted_by_signals;
use crate::output::{ProgressLine, say, tell};
use crate::playback;
use crate::subject::Subject;
use crate::{present, witness_file};
use clap::Args;
use ordain_explore::{Progress, Statistics, Summary};
use ordain_instrument::NativeOutcome;
use ordain_model::failure::FailureKind;
use ordain_model::witness::MemoryModel;
use ordain_report::json::{Bug, Confirmation, Report, Verdict};
use ordain_vm::Outside;
use std::collections::BTreeMap;
use std::fmt::Write;
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
    /// Run one execution per combination of the threads' paths, and count them
    #[arg(long)]
    paths: bool,
    /// Stop at the first bug
    #[arg(long)]
    first: bool,
    /// Most decisions on one path of a thread, which bounds loops that depend on inputs or on other threads
    #[arg(long, value_name = "N")]
    unroll: Option<u32>,
    /// Assume that waits for condition variables never end without a signal
    #[arg(long)]
    no_spurious: bool,
    /// After `safe`: run this many random schedules with random inputs, and insist that the model has them all
    #[arg(long, value_name = "N", default_value_t = 0)]
    audit: u32,
    /// Give up after this many seconds, with what is known by then
    #[arg(long, value_name = "SECONDS", value_parser = cli::seconds)]
    time: Option<Duration>,
    /// Confirm each bug natively as well: runs the program as a process of yours, which nothing else here does
    #[arg(long)]
    native: bool,
    /// Where witness files go
    #[arg(short, value_name = "DIR", default_value = ".")]
    output: PathBuf,
    #[command(flatten)]
    pub common: CommonOptions,
}

pub fn run(options: &Options) -> Result<Outcome, CommandError> {
    let start = Instant::now();
    let subject = Subject::load(&options.program)?;
    let summary = explore(options, &subject, start)?;
    let mut bugs = Vec::new();
    let mut written = Vec::new();
    for found in &summary.bugs {
        bugs.push(present_bug(options, &subject, found, &mut written)?);
    }
    let report = report(&summary, bugs, start);
    match options.common.json {
        true => say(&report.to_line()),
        false => tell(&conclusion(&subject, options, &report)),
    }
    Ok(match report.verdict {
        Verdict::Safe => Outcome::Clean,
        Verdict::Bug => Outcome::Bug,
        Verdict::Bounded | Verdict::Unknown => Outcome::Unfinished,
    })
}

/// Shortens, confirms and writes down one bug.
fn present_bug(
    options: &Options,
    subject: &Subject,
    found: &ordain_explore::Bug,
    written: &mut Vec<PathBuf>,
) -> Result<Bug, CommandError> {
    let execution = ordain_vm::shorten(&subject.loaded.program, &subject.facts, &found.execution, &found.failure);
    let mut witness = subject.witness(execution, found.failure.clone());
    let playback = playback::follow(subject, &witness.execution, &Outside::default())?;
    let Some(shown) = playback.failure_as(&witness.claim) else {
        let claim = present::headline(&witness.claim);
        return Err(CommandError::Internal(format!("a witness does not show its claim: {}", claim.trim_end())));
    };
    witness.claim.stack = shown.stack;
    let native = match options.native {
        true => Some(subject.replay_natively(&witness.execution, &witness.claim)?),
        false => None,
    };
    let path = witness_file::write_named(&options.output, &subject.stem(), &witness, written)?;
    if !options.common.json {
        let story = match options.common.quiet {
            true => present::headline(&witness.claim),
            false => present::failure(subject, &playback, &witness.execution, &witness.claim),
        };
        tell(&format!("{story}{}{}\n", confirmation_words(native.as_ref()), present::replay_hint(&path)));
    }
    let mut confirmed = vec![Confirmation::Vm];
    confirmed.extend((native == Some(NativeOutcome::Reproduced)).then_some(Confirmation::Native));
    let switches = ordain_report::switches(&witness.execution);
    let bug = Bug::new(&witness.claim, Some(path.display().to_string()), switches, confirmed);
    written.push(path);
    Ok(bug)
}

fn explore(options: &Options, subject: &Subject, start: Instant) -> Result<Summary, CommandError> {
    let mut line = ProgressLine::new(options.common.quiet || options.common.json);
    let mut show = |progress: &Progress| line.show(&progress_words(progress, start));
    let asked = ordain_explore::Options {
        memory: options.memory,
        check: if options.check.is_empty() { FailureKind::ALL.to_vec() } else { options.check.clone() },
        paths: options.paths,
        first: options.first,
        unroll: options.unroll,
        spurious: !options.no_spurious,
        audit: options.audit,
        time: options.time,
        interrupt: interrupted_by_signals()?,
    };
    ordain_explore::explore(&subject.loaded.program, &asked, &mut show).map_err(|error| match error {
        ordain_explore::Error::Unsupported(_) => CommandError::Unsupported(error.to_string()),
        ordain_explore::Error::Diverged(_) => CommandError::Internal(error.to_string()),
    })
}

fn progress_words(progress: &Progress, start: Instant) -> String {
    let Progress { runs, open, queries, bugs } = progress;
    let seconds = start.elapsed().as_secs_f64();
    format!("exploring: {runs} runs, {open} stubs open, {queries} queries, {bugs} bugs, {seconds:.0} s")
}

fn confirmation_words(native: Option<&NativeOutcome>) -> String {
    match native {
        None => "confirmed in the machine\n".to_owned(),
        Some(NativeOutcome::Reproduced) => "confirmed in the machine and natively\n".to_owned(),
        Some(NativeOutcome::CannotShow { why }) => {
            format!("confirmed in the machine (natively it cannot be shown: {why})\n")
        }
        Some(NativeOutcome::NotReproduced { instead }) => {
            format!("confirmed in the machine; NOT reproduced natively: {instead}\n")
        }
    }
}

fn report(summary: &Summary, bugs: Vec<Bug>, start: Instant) -> Report {
    let (verdict, reason) = match &summary.verdict {
        ordain_explore::Verdict::Safe => (Verdict::Safe, None),
        ordain_explore::Verdict::Bug => (Verdict::Bug, None),
        ordain_explore::Verdict::Bounded(reason) => (Verdict::Bounded, Some(reason.clone())),
        ordain_explore::Verdict::Unknown(reason) => (Verdict::Unknown, Some(reason.clone())),
    };
    Report {
        command: "explore",
        verdict,
        reason,
        runs: u64::from(summary.runs),
        paths: summary.paths.as_ref().map_or(0, |paths| paths.len() as u64),
        queries: summary.statistics.queries,
        bugs,
        assumptions: summary.assumptions.clone(),
        stats: statistics(&summary.statistics),
        seconds: start.elapsed().as_secs_f64(),
    }
}

fn statistics(statistics: &Statistics) -> BTreeMap<String, u64> {
    let Statistics { queries: _, satisfiable, events, nodes, rounds, restarts, audited } = *statistics;
    let entries = [
        ("satisfiable", satisfiable),
        ("events", events as u64),
        ("nodes", nodes as u64),
        ("rounds", u64::from(rounds)),
        ("restarts", u64::from(restarts)),
        ("audited", u64::from(audited)),
    ];
    entries.map(|(name, count)| (name.to_owned(), count)).into()
}

/// The verdict in words. "No bug" and "not finished" must not look alike.
fn conclusion(subject: &Subject, options: &Options, report: &Report) -> String {
    let name = subject.name();
    let reason = report.reason.as_deref().unwrap_or_default();
    let mut text = match report.verdict {
        Verdict::Safe => format!("{name}: SAFE, for every schedule and every input\n"),
        Verdict::Bug if report.bugs.len() == 1 => format!("{name}: 1 bug\n"),
        Verdict::Bug => format!("{name}: {} bugs\n", report.bugs.len()),
        Verdict::Bounded => format!("{name}: NOT FINISHED, no bug up to a bound: {reason}\n"),
        Verdict::Unknown => format!("{name}: NOT FINISHED: {reason}\n"),
    };
    if options.common.quiet {
        return text;
    }
    let paths = if options.paths { format!(", {} path classes", report.paths) } else { String::new() };
    let audited = if options.audit > 0 && report.verdict == Verdict::Safe {
        format!(", {} random runs agree", options.audit)
    } else {
        String::new()
    };
    let _ = writeln!(
        text,
        "  {} runs{paths}, {} queries{audited}, memory model {}, {:.2} s",
        report.runs,
        report.queries,
        present::memory_name(options.memory),
        report.seconds
    );
    // A bug needs no assumptions: it was run.
    if report.verdict != Verdict::Bug && !report.assumptions.is_empty() {
        let _ = writeln!(text, "  assuming:");
        for assumption in &report.assumptions {
            let _ = writeln!(text, "    {assumption}");
        }
    }
    text
}
