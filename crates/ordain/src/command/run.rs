//! `ordain run`: one run in the machine, under a schedule that can be had again.

use crate::cli::{self, CommonOptions, OutsideOptions, ProgramOptions, SchedulerOptions};
use crate::error::{CommandError, Outcome};
use crate::output::{self, say, tell};
use crate::playback::{self, Playback};
use crate::subject::Subject;
use crate::{present, witness_file};
use clap::Args;
use ordain_model::failure::Failure;
use ordain_model::witness::{Claim, MemoryModel};
use ordain_report::json::{Bug, Confirmation, PathCount, Report, Verdict};
use ordain_vm::schedulers;
use ordain_vm::{Outside, StandardInput};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

/// Run a program once, in the machine
#[derive(Args, Debug)]
pub struct Options {
    #[command(flatten)]
    program: ProgramOptions,
    /// Follow the schedule and the inputs of a witness
    #[arg(long, value_name = "WITNESS", group = "scheduler")]
    schedule: Option<PathBuf>,
    #[command(flatten)]
    by: SchedulerOptions,
    /// Memory model
    #[arg(long, value_parser = cli::memory_model(), default_value = "sc", conflicts_with = "schedule")]
    memory: MemoryModel,
    /// Where to write a witness if the run fails
    #[arg(short, value_name = "WITNESS")]
    output: Option<PathBuf>,
    #[command(flatten)]
    outside: OutsideOptions,
    #[command(flatten)]
    pub common: CommonOptions,
}

pub fn run(options: &Options) -> Result<Outcome, CommandError> {
    let start = Instant::now();
    let subject = Subject::load(&options.program)?;
    let playback = play(options, &subject)?;
    if !options.common.json {
        output::pass_on(playback.machine.output(), playback.machine.error_output());
    }
    report_refusals(&playback);
    playback.machine.publish().map_err(|e| CommandError::Input(e.to_string()))?;
    playback.check_supported()?;
    let failures = playback.failures();
    let execution = playback.machine.execution();
    // One witness, so one claim: the failure that ended the run, or else its first race.
    let claim = failures.last();
    if let (Some(path), Some(claim)) = (&options.output, claim) {
        witness_file::write(path, &subject.witness(execution.clone(), Claim::Failure(claim.clone())))?;
    }
    let ended = matches!(playback.outcome, schedulers::Outcome::Ended(_));
    if options.common.json {
        say(&report(options, &playback, &failures, start).to_line());
    } else if !options.common.quiet {
        for failure in &failures {
            tell(&present::failure(&subject, &playback, &execution, failure));
        }
        if let (Some(path), Some(_)) = (&options.output, claim) {
            tell(&present::replay_hint(path));
        }
        if claim.is_none() && playback.exit_status() != Some(0) {
            output::complain(&playback.describe_end());
        }
    }
    Ok(match (failures.is_empty(), ended) {
        (false, _) => Outcome::Bug,
        (true, true) => Outcome::Clean,
        (true, false) => Outcome::Unfinished,
    })
}

/// A program that does not get its files may do anything but what it is meant for.
fn report_refusals(playback: &Playback) {
    for path in playback.machine.refused() {
        let path = path.display();
        output::complain(&format!("the program may not use {path}; grant it with --allow or --allow-write"));
    }
}

fn play<'s>(options: &Options, subject: &'s Subject) -> Result<Playback<'s>, CommandError> {
    let outside = Outside { grants: options.outside.grants(), input: StandardInput::inherited() };
    if let Some(path) = &options.schedule {
        let witness = witness_file::read(path)?;
        subject.check_build(&witness, path)?;
        return playback::follow(subject, &witness.execution, &outside);
    }
    let mut scheduler = options.by.scheduler(options.memory);
    let inputs = options.by.inputs();
    playback::run(subject, options.memory, inputs, &outside, scheduler.as_mut())
}

fn report(options: &Options, playback: &Playback, failures: &[Failure], start: Instant) -> Report {
    let execution = playback.machine.execution();
    let path = options.output.as_ref().map(|p| p.display().to_string());
    let switches = ordain_report::switches(&execution);
    // Only the last failure is what the witness claims.
    let witness = |i: usize| path.clone().filter(|_| i + 1 == failures.len());
    let bug = |(i, f): (usize, &Failure)| Bug::new(f, witness(i), switches, vec![Confirmation::Vm]);
    Report {
        command: "run",
        // One run proves nothing.
        verdict: if failures.is_empty() { Verdict::Unknown } else { Verdict::Bug },
        reason: failures.is_empty().then(|| playback.describe_end()),
        runs: 1,
        paths: PathCount::default(),
        queries: 0,
        bugs: failures.iter().enumerate().map(bug).collect(),
        assumptions: Vec::new(),
        stats: BTreeMap::from([("points".to_owned(), playback.points())]),
        seconds: start.elapsed().as_secs_f64(),
        coverage: None,
        unproved: None,
        tests: None,
    }
}
