//! `ordain follow`: follows the log of a recorded run offline, every thread to where it ends.

use crate::cli::CommonOptions;
use crate::error::{CommandError, Outcome};
use crate::output::say;
use crate::recorded;
use crate::subject::Subject;
use clap::Args;
use ordain_record::{FollowError, Followed, PathEnd, Recording, follow};
use ordain_report::json::{PathCount, Report};
use ordain_rt::format::State;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

/// Follow the log of a recorded run, and say where every thread ended
#[derive(Args, Debug)]
pub struct Options {
    /// A directory that `ordain record` wrote
    #[arg(value_name = "LOG")]
    log: PathBuf,
    /// A model that the program was given, if it is not where it was; may be repeated
    #[arg(long = "model", value_name = "FILE")]
    models: Vec<PathBuf>,
    #[command(flatten)]
    pub common: CommonOptions,
}

pub fn run(options: &Options) -> Result<Outcome, CommandError> {
    let start = Instant::now();
    let recording = Recording::read(&options.log).map_err(|e| CommandError::Input(e.to_string()))?;
    let subject = Subject::of_recording(&recording, &options.log, &options.models)?;
    let program = &subject.loaded.program;
    let mut all = Vec::new();
    for thread in &recording.threads {
        all.push(follow(program, &recording, thread, &options.log).map_err(refused)?);
    }
    if options.common.json {
        say(&report(&recording, &all, start).to_line());
    } else {
        all.iter().for_each(|followed| say(&line(&subject, followed)));
        if let Some(ending) = recording.run.ending.as_ref().filter(|_| !options.common.quiet) {
            say(&format!("the run: {ending}\n"));
        }
    }
    Ok(Outcome::Clean)
}

/// A log that cannot be followed is bad input; a program that cannot is not supported.
pub fn refused(error: FollowError) -> CommandError {
    match error {
        FollowError::NotUnderstood { .. } => CommandError::Unsupported(error.to_string()),
        error => CommandError::Input(error.to_string()),
    }
}

fn line(subject: &Subject, followed: &Followed) -> String {
    let at = recorded::stack(&subject.loaded.program, followed);
    let place = at.first().map(|frame| format!(" in {} at {}", frame.function, frame.place)).unwrap_or_default();
    let end = match followed.end {
        PathEnd::Ended(state) => format!("{}{place}", words(state)),
        PathEnd::BeforeDecision(state) => format!("{} before its next decision{place}", words(state)),
        PathEnd::Cut => format!("its log has no room for more{place}"),
    };
    let (recorded, recomputed) = (followed.recorded, followed.recomputed);
    format!("thread {}: {recorded} decisions, {recomputed} computed; {end}\n", followed.name)
}

fn words(state: State) -> &'static str {
    match state {
        State::Running => "was running",
        State::Returned => "returned",
        State::Exited => "left by pthread_exit",
        State::EndedProcess | State::EndedProcessNow => "ended the process",
        State::Aborted => "aborted",
        State::AssertionFailed => "failed an assertion",
        State::ReachedError => "called an error function",
        State::Misused => "misused a library object",
        State::BrokeAssumption => "broke an assumption",
        State::Faulted => "faulted",
    }
}

fn report(recording: &Recording, all: &[Followed], start: Instant) -> Report {
    let sum = |of: fn(&Followed) -> u64| all.iter().map(of).sum::<u64>();
    let reason = recording.run.ending.as_ref().map_or("the recorder did not see the end".to_owned(), |e| e.to_string());
    Report {
        runs: 1,
        paths: PathCount::default(),
        stats: BTreeMap::from([
            ("threads".to_owned(), all.len() as u64),
            ("recorded".to_owned(), sum(|f| f.recorded)),
            ("recomputed".to_owned(), sum(|f| f.recomputed)),
            ("values".to_owned(), sum(|f| f.values)),
            ("disagreements".to_owned(), sum(|f| f.disagreements)),
            ("blocks".to_owned(), sum(|f| f.blocks)),
            ("ended".to_owned(), all.iter().filter(|f| matches!(f.end, PathEnd::Ended(_))).count() as u64),
        ]),
        ..Report::unknown("follow", reason, start.elapsed().as_secs_f64())
    }
}
