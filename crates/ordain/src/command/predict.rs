//! `ordain predict`: this run passed; what could have gone wrong in it?

use crate::bug_files::BugFiles;
use crate::cli::{self, CommonOptions, ProgramOptions, SchedulerOptions};
use crate::error::{CommandError, Outcome};
use crate::interrupt::interrupted_by_signals;
use crate::output::{ProgressLine, say, tell};
use crate::subject::Subject;
use clap::{Args, ValueEnum};
use ordain_explore::{Progress, Summary};
use ordain_model::failure::FailureKind;
use ordain_model::names::ThreadName;
use ordain_model::witness::MemoryModel;
use ordain_predict::{Ended, Prediction, Run, Which, Windows};
use ordain_record::{Ending, FollowError, Recording};
use ordain_report::json::{PathCount, Report, Unproved, Verdict};
use ordain_reproduce::Goal;
use ordain_vm::Inputs;
use ordain_vm::schedulers::Follow;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A run that is longer, in points, is taken for one without an end.
const MOST_POINTS: u64 = 100_000_000;

/// Find what could have gone wrong in a run that passed: the same events in another order. PROG may be a LOG of `ordain record`
#[derive(Args, Debug)]
pub struct Options {
    #[command(flatten)]
    program: ProgramOptions,
    #[command(flatten)]
    by: SchedulerOptions,
    /// Look for regions that another thread can come between
    #[arg(long)]
    atomicity: bool,
    /// Look for data races
    #[arg(long)]
    races: bool,
    /// Look for threads that are stuck
    #[arg(long)]
    deadlocks: bool,
    /// Look for these kinds of bugs, besides those of the options above; default: for everything
    #[arg(long, value_name = "KINDS", value_parser = cli::failure_kind(), value_delimiter = ',')]
    check: Vec<FailureKind>,
    /// What should be atomic: what ordain_atomic_begin and ordain_atomic_end mark (in C sources also __VERIFIER_atomic_begin and
    /// __VERIFIER_atomic_end, which make nothing atomic then), or what looks as if it should
    #[arg(long, value_enum, default_value = "inferred")]
    regions: RegionsOption,
    /// Assume that waits for condition variables never end without a signal
    #[arg(long)]
    no_spurious: bool,
    /// Only say what may go wrong at all, as far as one pass over the run tells; nothing of that is a bug
    #[arg(long)]
    filters_only: bool,
    /// Give up after this many seconds, with what is known by then
    #[arg(long, value_name = "SECONDS", value_parser = cli::seconds)]
    time: Option<Duration>,
    /// Leave questions open that take the solver more than N conflicts
    #[arg(long, value_name = "N")]
    effort: Option<u64>,
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
enum RegionsOption {
    Marked,
    Inferred,
}

/// What says elsewhere that a section is atomic says here that it is meant to be.
const MARKS: [&str; 2] = ["-D__VERIFIER_atomic_begin=ordain_atomic_begin", "-D__VERIFIER_atomic_end=ordain_atomic_end"];

impl Options {
    fn subject(&self) -> ProgramOptions {
        let mut program = self.program.clone();
        if self.regions == RegionsOption::Marked {
            program.cflags.extend(MARKS.map(str::to_owned));
        }
        program
    }

    /// The kinds that are looked for.
    fn kinds(&self) -> Vec<FailureKind> {
        let asked = [
            (self.atomicity, &[FailureKind::Atomicity][..]),
            (self.races, &[FailureKind::Race]),
            (self.deadlocks, &[FailureKind::Deadlock, FailureKind::Hang]),
        ];
        let mut kinds = self.check.clone();
        kinds.extend(asked.into_iter().filter(|(is_asked, _)| *is_asked).flat_map(|(_, kinds)| kinds));
        if kinds.is_empty() { FailureKind::ALL.to_vec() } else { kinds }
    }
}

pub fn run(options: &Options) -> Result<Outcome, CommandError> {
    let start = Instant::now();
    let which = match options.regions {
        RegionsOption::Marked => Which::Marked,
        RegionsOption::Inferred => Which::Inferred,
    };
    let (subject, ended) = match &options.program.files[..] {
        [log] if log.is_dir() => recorded_run(options, log, which)?,
        _ => {
            let subject = Subject::load(&options.subject())?;
            let mut scheduler = options.by.scheduler(MemoryModel::Sc);
            let program = &subject.loaded.program;
            let ended = ordain_predict::run(
                program,
                &subject.facts,
                options.by.inputs(),
                scheduler.as_mut(),
                which,
                MOST_POINTS,
            );
            (subject, ended)
        }
    };
    let run = match ended {
        Ended::Passed(run) => run,
        Ended::Failed(failure, _) => {
            return Err(CommandError::Input(format!(
                "the run itself fails, so there is nothing to predict: {} at {}: {}.\n`ordain run` shows it; another \
                 schedule (--random, --pct, --round-robin) may pass",
                failure.kind, failure.place, failure.message
            )));
        }
        Ended::Unfinished(why) => return Err(CommandError::Unsupported(why)),
    };
    if options.filters_only {
        return Ok(only_filtered(options, &subject, &run, start));
    }
    let begun = Instant::now();
    let Prediction { summary, windows } = predict(options, &subject, &run)?;
    let search = begun.elapsed();
    let files = BugFiles { native: options.native, directory: &options.output, common: &options.common };
    let bugs = files.write_all(&subject, &summary.bugs)?;
    let report = report(&summary, &run, windows, search, bugs, start);
    match options.common.json {
        true => say(&report.to_line()),
        false => tell(&in_words(&subject, options, &report, run.is_long)),
    }
    Ok(match report.verdict {
        Verdict::Bug => Outcome::Bug,
        Verdict::Bounded if run.is_long => Outcome::Unfinished,
        // All orders of the run's events were looked at, which is what was asked for.
        Verdict::Bounded | Verdict::Safe => Outcome::Clean,
        Verdict::Unknown => Outcome::Unfinished,
    })
}

/// What one pass over the run tells, and nothing else.
fn only_filtered(options: &Options, subject: &Subject, run: &Run, start: Instant) -> Outcome {
    let why = "only the filters were asked: nothing was replayed, and nothing is ruled out but what is not listed";
    let unproved = run.candidates.iter().map(|candidate| {
        let place = candidate.places.last();
        Unproved {
            kind: candidate.kind.name(),
            file: place.map(|place| subject.loaded.program.files[place.file as usize].clone()),
            line: place.map(|place| place.line),
            why: candidate.in_words(&subject.loaded.program),
        }
    });
    let report = Report {
        stats: stats(run).into_iter().map(|(name, count)| (name.to_owned(), count)).collect(),
        unproved: Some(unproved.collect()),
        ..Report::unknown("predict", why.to_owned(), start.elapsed().as_secs_f64())
    };
    match options.common.json {
        true => say(&report.to_line()),
        false => {
            let mut text = format!("{}: {} candidates, {why}\n", subject.name(), run.candidates.len());
            for candidate in &run.candidates {
                let _ = writeln!(text, "  {}", candidate.in_words(&subject.loaded.program));
            }
            tell(&text);
        }
    }
    Outcome::Unfinished
}

/// What is known of a run before anything is asked about it.
fn stats(run: &Run) -> Vec<(&'static str, u64)> {
    vec![
        ("points", run.points),
        ("filtered", run.candidates.len() as u64),
        ("forgotten", run.dropped),
        ("milliseconds_of_run", run.time.as_millis() as u64),
        ("milliseconds_of_filters", run.time_of_filter.as_millis() as u64),
    ]
}

/// The run of a recording, made again in the machine.
fn recorded_run(options: &Options, log: &Path, which: Which) -> Result<(Subject, Ended), CommandError> {
    let refused = |error: FollowError| CommandError::Input(error.to_string());
    let recording = Recording::read(log).map_err(|e| CommandError::Input(e.to_string()))?;
    let subject = Subject::of_recording(&recording, log, &options.program.models)?;
    let program = &subject.loaded.program;
    let Some(Ending::Exit(status)) = recording.run.ending else {
        let message = "{} is the recording of a run that did not come to its end, so there is nothing to predict.\n\
                       `ordain reproduce` says how it failed.";
        return Err(CommandError::Input(message.replace("{}", &log.display().to_string())));
    };
    let ways = ordain_reproduce::read(program, &recording, log).map_err(refused)?;
    let goal = Goal::exit(ThreadName::main(), status);
    let asked = ordain_explore::Options {
        time: options.time,
        interrupt: interrupted_by_signals()?,
        ..ordain_explore::Options::default()
    };
    let Some(execution) = ordain_reproduce::lead_again(program, &ways, &goal, &asked) else {
        let why = "the machine could not be led along the recording";
        return Err(CommandError::Unsupported(why.to_owned()));
    };
    let mut follow = Follow::new(&execution.schedule);
    let ended = ordain_predict::run(program, &subject.facts, Inputs::of(&execution), &mut follow, which, MOST_POINTS);
    Ok((subject, ended))
}

fn predict(options: &Options, subject: &Subject, run: &Run) -> Result<Prediction, CommandError> {
    let mut line = ProgressLine::new(options.common.quiet || options.common.json);
    let mut show = |progress: &Progress| {
        line.show(&format!("predicting: {} queries, {} bugs", progress.queries, progress.bugs));
    };
    let asked = ordain_explore::Options {
        check: options.kinds(),
        spurious: !options.no_spurious,
        time: options.time,
        effort: options.effort,
        interrupt: interrupted_by_signals()?,
        ..ordain_explore::Options::default()
    };
    ordain_predict::predict(&subject.loaded.program, run, &asked, &mut show).map_err(|error| match error {
        ordain_explore::Error::Diverged(_) | ordain_explore::Error::Abandoned => {
            CommandError::Internal(error.to_string())
        }
        ordain_explore::Error::Journal(_) | ordain_explore::Error::Threads(_) => CommandError::Input(error.to_string()),
    })
}

fn report(
    summary: &Summary,
    run: &Run,
    windows: Windows,
    search: Duration,
    bugs: Vec<ordain_report::json::Bug>,
    start: Instant,
) -> Report {
    let (verdict, reason) = match &summary.verdict {
        ordain_explore::Verdict::Bug => (Verdict::Bug, summary.stopped.map(|stopped| stopped.reason().to_owned())),
        ordain_explore::Verdict::Unknown(reason) => (Verdict::Unknown, Some(reason.clone())),
        ordain_explore::Verdict::Bounded(reason) => (Verdict::Bounded, Some(reason.clone())),
        ordain_explore::Verdict::Safe => (Verdict::Bounded, None),
    };
    let regions = summary.regions;
    let mut stats = stats(run);
    stats.extend([
        ("events", summary.statistics.events as u64),
        ("regions", run.regions.len() as u64),
        ("candidates", if run.is_long { u64::from(windows.candidates) } else { u64::from(regions.candidates) }),
        ("windows", u64::from(windows.windows)),
        ("largest_window", windows.largest),
        ("out_of_reach", u64::from(windows.out_of_reach)),
        ("unfinished_windows", u64::from(windows.unfinished)),
        ("by_omission", u64::from(windows.by_omission)),
        ("cut_short", u64::from(windows.cut_short)),
        ("milliseconds_of_omission", windows.time_of_omission.as_millis() as u64),
        ("violations", u64::from(regions.violations)),
        ("joint_violations", u64::from(regions.joint)),
        ("benign", u64::from(regions.benign)),
        ("undecided", u64::from(regions.undecided)),
        ("milliseconds_of_search", search.as_millis() as u64),
        // If the run is looked at as a whole, what the solver finds and the machine does not do ends the command as an internal error.
        ("unconfirmed", u64::from(windows.unconfirmed + windows.not_shown)),
    ]);
    let open = summary.unproved.iter().filter(|open| !ordain_predict::is_end_of_script(open));
    let unproved = open.map(|open| Unproved {
        kind: open.kind.name(),
        file: open.place.as_ref().map(|place| place.file.clone()),
        line: open.place.as_ref().map(|place| place.line),
        why: open.why.clone(),
    });
    Report {
        verdict,
        runs: u64::from(summary.runs),
        paths: PathCount::default(),
        queries: summary.statistics.queries,
        bugs,
        assumptions: summary.assumptions.clone(),
        stats: stats.into_iter().map(|(name, count)| (name.to_owned(), count)).collect(),
        unproved: Some(unproved.collect()),
        reason,
        ..Report::unknown("predict", String::new(), start.elapsed().as_secs_f64())
    }
}

fn in_words(subject: &Subject, options: &Options, report: &Report, is_long: bool) -> String {
    let name = subject.name();
    let reason = report.reason.as_deref().unwrap_or_default();
    let mut text = match report.verdict {
        Verdict::Bug => {
            let plural = if report.bugs.len() == 1 { "" } else { "s" };
            let more = if reason.is_empty() { String::new() } else { format!(", NOT FINISHED: {reason}") };
            format!("{name}: {} bug{plural} that this run could have shown{more}\n", report.bugs.len())
        }
        Verdict::Bounded if is_long => format!("{name}: nothing found, NOT ALL ORDERS: {reason}\n"),
        Verdict::Bounded | Verdict::Safe => format!("{name}: nothing wrong in any order of this run's events\n"),
        Verdict::Unknown => format!("{name}: NOT FINISHED: {reason}\n"),
    };
    if options.common.quiet {
        return text;
    }
    let stat = |name: &str| report.stats.get(name).copied().unwrap_or_default();
    let _ = writeln!(
        text,
        "  {} points, {} events, {} regions, {} candidates for violations of atomicity, {} queries, {:.2} s",
        stat("points"),
        stat("events"),
        stat("regions"),
        stat("candidates"),
        report.queries,
        report.seconds
    );
    if report.verdict != Verdict::Bug {
        let _ = writeln!(text, "  assuming:");
        for assumption in &report.assumptions {
            let _ = writeln!(text, "    {assumption}");
        }
    }
    text
}
