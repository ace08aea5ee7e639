//! `ordain reproduce`: from the log of a run that failed to a schedule that fails in the same way.

use crate::cli::{self, CommonOptions};
use crate::command::follow::refused;
use crate::error::{CommandError, Outcome};
use crate::interrupt::interrupted_by_signals;
use crate::output::{ProgressLine, say, tell};
use crate::subject::Subject;
use crate::{playback, present, recorded, witness_file};
use clap::Args;
use ordain_explore::{Fewest, Progress, Summary, Verdict as Found};
use ordain_instrument::NativeOutcome;
use ordain_model::failure::Failure;
use ordain_model::witness::{Claim, MemoryModel};
use ordain_record::{Ending, Recording};
use ordain_report::json::{Bug, Confirmation, PathCount, Report, Verdict};
use ordain_reproduce::Goal;
use ordain_vm::Outside;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Find out how a recorded run failed: the schedule with the fewest preemptions that fails in the same way
#[derive(Args, Debug)]
pub struct Options {
    /// A directory that `ordain record` wrote
    #[arg(value_name = "LOG")]
    log: PathBuf,
    /// Memory model; default: the one that the run was recorded with
    #[arg(long, value_parser = cli::memory_model())]
    memory: Option<MemoryModel>,
    /// Ending with this status was a failure; may be repeated
    #[arg(long, value_name = "STATUS")]
    fail_on: Vec<i32>,
    /// Only schedules with at most this many preemptive switches
    #[arg(long, value_name = "N")]
    max_switches: Option<u32>,
    /// Give up after this many seconds, with what is known by then
    #[arg(long, value_name = "SECONDS", value_parser = cli::seconds)]
    time: Option<Duration>,
    /// Look for fewer preemptions on N threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = cli::jobs)]
    jobs: usize,
    /// Do not replay the schedule natively
    #[arg(long)]
    no_native: bool,
    /// A model that the program was given, if it is not where it was; may be repeated
    #[arg(long = "model", value_name = "FILE")]
    models: Vec<PathBuf>,
    /// Where the witness goes
    #[arg(short, value_name = "DIR", default_value = ".")]
    output: PathBuf,
    #[command(flatten)]
    pub common: CommonOptions,
}

pub fn run(options: &Options) -> Result<Outcome, CommandError> {
    let start = Instant::now();
    let recording = Recording::read(&options.log).map_err(|e| CommandError::Input(e.to_string()))?;
    let subject = Subject::of_recording(&recording, &options.log, &options.models)?;
    let program = &subject.loaded.program;
    let failure = recorded::failure(program, &recording, &options.log, &options.fail_on).map_err(refused)?;
    let Some(failure) = failure else {
        let message = "{} is the recording of a run that did not fail.\nRecord one that does, or say what counts as a \
                       failure (--fail-on STATUS).";
        return Err(CommandError::Input(message.replace("{}", &options.log.display().to_string())));
    };
    let ways = ordain_reproduce::read(program, &recording, &options.log).map_err(refused)?;
    let memory = options.memory.unwrap_or(recording.run.memory);
    let goal = match recording.run.ending {
        Some(Ending::Exit(status)) => Goal::exit(failure.thread.clone(), status),
        _ => ordain_reproduce::goal(&failure),
    };
    let summary = search(options, &subject, (ways, memory), goal.clone(), start)?;
    let before = summary.bugs.first().is_some_and(|found| goal.is_preceded_by(&found.failure));
    let is_exit = goal.status.is_some() && !before;
    let bug = match summary.bugs.first() {
        // How a run ended that did not fail is all that there is to say about it; where, the recording knows.
        Some(found) if is_exit => {
            Some(ordain_explore::Bug { failure: failure.clone(), execution: found.execution.clone() })
        }
        found => found.cloned(),
    };
    let bug = match bug {
        Some(found) => Some(present_bug(options, &subject, &found, is_exit, summary.fewest.as_ref())?),
        None => None,
    };
    let reproduced = bug.is_some();
    let report = report(&summary, bug, before, &failure, start);
    match options.common.json {
        true => say(&report.to_line()),
        false if reproduced => report.reason.iter().for_each(|went_on| tell(&format!("{went_on}\n"))),
        false => tell(&format!(
            "not reproduced: {}{}\n",
            present::headline(&failure),
            report.reason.as_deref().unwrap_or_default()
        )),
    }
    Ok(if reproduced { Outcome::Bug } else { Outcome::Unfinished })
}

fn search(
    options: &Options,
    subject: &Subject,
    (ways, memory): (ordain_reproduce::Ways, MemoryModel),
    goal: Goal,
    start: Instant,
) -> Result<Summary, CommandError> {
    let mut line = ProgressLine::new(options.common.quiet || options.common.json);
    let mut show = |progress: &Progress| {
        let (seconds, queries) = (start.elapsed().as_secs(), progress.queries);
        line.show(&format!("{seconds} s, {} runs, {queries} questions", progress.runs));
    };
    let asked = ordain_explore::Options {
        memory,
        first: true,
        time: options.time,
        jobs: options.jobs,
        interrupt: interrupted_by_signals()?,
        ..ordain_explore::Options::default()
    };
    let most = options.max_switches;
    ordain_reproduce::reproduce(&subject.loaded.program, ways, goal, most, asked, &mut show)
        .map_err(|error| CommandError::Internal(error.to_string()))
}

/// Shortens, confirms and writes down the schedule.
fn present_bug(
    options: &Options,
    subject: &Subject,
    found: &ordain_explore::Bug,
    is_exit: bool,
    fewest: Option<&Fewest>,
) -> Result<Bug, CommandError> {
    let execution = found.execution.clone();
    let playback = playback::follow(subject, &execution, &Outside::default())?;
    let shown = match playback.exit_status().filter(|_| is_exit) {
        Some(status) => Some((found.failure.clone(), Claim::Exit { status })),
        None => playback.failure_as(&found.failure).map(|shown| {
            let failure = Failure { stack: shown.stack, ..found.failure.clone() };
            (failure.clone(), Claim::Failure(failure))
        }),
    };
    let Some((failure, claim)) = shown.filter(|(_, claim)| playback.shows(claim)) else {
        let claim = present::headline(&found.failure);
        return Err(CommandError::Internal(format!("a witness does not show its claim: {}", claim.trim_end())));
    };
    let witness = subject.witness(execution, claim);
    let native = match options.no_native {
        false => Some(subject.replay_natively(&witness.execution, &witness.claim)?),
        true => None,
    };
    let path = match witness.claim {
        Claim::Failure(_) => witness_file::write_named(&options.output, &subject.stem(), &witness, &failure, &[])?,
        Claim::Exit { status } => {
            let path = options.output.join(format!("{}-status-{status}.witness", subject.stem()));
            witness_file::write(&path, &witness)?;
            path
        }
    };
    if !options.common.json {
        let story = match options.common.quiet {
            true => String::new(),
            false => present::story(subject, &playback, &witness.execution, &failure),
        };
        let claim = present::claim(&witness.claim);
        let confirmed = present::confirmation(native.as_ref());
        let fewest = fewest.map(preemptions).unwrap_or_default();
        tell(&format!("{claim}{story}{fewest}{confirmed}{}\n", present::replay_hint(&path)));
    }
    let mut confirmed = vec![Confirmation::Vm];
    confirmed.extend((native == Some(NativeOutcome::Reproduced)).then_some(Confirmation::Native));
    let switches = ordain_report::switches(&witness.execution);
    Ok(Bug::new(&failure, Some(path.display().to_string()), switches, confirmed))
}

/// How few preemptions it takes, and how sure that is.
fn preemptions(fewest: &Fewest) -> String {
    let (found, least) = (fewest.found.preemptions, fewest.at_least);
    let sure = match least == found {
        true if found == 0 => "which is the least there can be".to_owned(),
        true => "no schedule of the recorded paths fails so with fewer".to_owned(),
        false => format!("whether {least} suffice is open"),
    };
    let switches = if fewest.fewest_switches { " (proved to be the fewest)" } else { "" };
    let plural = if found == 1 { "" } else { "s" };
    format!("{found} preemption{plural}: {sure}; {} switches{switches}\n", fewest.found.all)
}

fn report(summary: &Summary, bug: Option<Bug>, before: bool, failure: &Failure, start: Instant) -> Report {
    let seconds = start.elapsed().as_secs_f64();
    let reason = match (&bug, summary.stopped, &summary.verdict) {
        (Some(_), _, _) => before.then(|| went_on(failure)),
        (None, Some(stopped), _) => Some(stopped.reason().to_owned()),
        (None, None, Found::Bounded(why) | Found::Unknown(why)) => Some(why.clone()),
        (None, None, Found::Safe | Found::Bug) => {
            Some(format!("no schedule of the recorded paths shows a failure of kind {}", failure.kind))
        }
    };
    Report {
        verdict: if bug.is_some() { Verdict::Bug } else { Verdict::Unknown },
        reason,
        runs: u64::from(summary.runs),
        paths: PathCount::default(),
        queries: summary.statistics.queries,
        bugs: bug.into_iter().collect(),
        assumptions: summary.assumptions.clone(),
        stats: BTreeMap::from([
            ("events".to_owned(), summary.statistics.events as u64),
            ("nodes".to_owned(), summary.statistics.nodes as u64),
        ])
        .into_iter()
        .chain(summary.bugs.first().map(|bug| ("points".to_owned(), bug.execution.points())))
        .chain(summary.fewest.iter().flat_map(|fewest| {
            let found = fewest.found;
            [("preemptions", found.preemptions), ("preemptions_at_least", fewest.at_least), ("switches", found.all)]
                .map(|(name, count)| (name.to_owned(), u64::from(count)))
        }))
        .collect(),
        ..Report::unknown("reproduce", String::new(), seconds)
    }
}

/// How the recorded run ended, where what was found is something that a process can go on after.
fn went_on(recorded: &Failure) -> String {
    let ended = present::headline(recorded);
    format!("the recorded run did not end there, but by another failure: {}", ended.trim_end())
}
