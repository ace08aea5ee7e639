//! `ordain replay`: runs a witness again, in the machine and natively, and says whether what it claims came true.

use crate::cli;
use crate::error::{CommandError, Outcome};
use crate::output::{complain, say, tell};
use crate::playback::{self, Playback};
use crate::subject::Subject;
use crate::{present, witness_file};
use clap::Args;
use ordain_instrument::{Focus, NativeOutcome, cannot_show};
use ordain_model::witness::{Claim, Witness};
use ordain_report::json::{Bug, Confirmation, PathCount, Report, Verdict};
use ordain_vm::{Outside, StandardInput};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// Run a witness again
#[derive(Args, Debug)]
pub struct Options {
    /// A file that `explore` or `run` wrote
    pub witness: PathBuf,
    /// A model that the program was given, if it is not where it was; may be repeated
    #[arg(long = "model", value_name = "FILE")]
    models: Vec<PathBuf>,
    /// Only in the machine
    #[arg(long, conflicts_with = "native")]
    vm: bool,
    /// Only as a native process
    #[arg(long)]
    native: bool,
    /// As a native process in gdb, which stops at the failure with all threads in place
    #[arg(long, conflicts_with_all = ["vm", "native", "json"])]
    gdb: bool,
    /// Options for gdb, e.g. -- -batch -ex 'thread apply all backtrace'
    #[arg(value_name = "GDB-OPTIONS", last = true, requires = "gdb")]
    gdb_options: Vec<String>,
    #[command(flatten)]
    outside: cli::OutsideOptions,
    #[command(flatten)]
    pub common: cli::CommonOptions,
}

/// What one way of replaying came to.
enum Attempt {
    Reproduced,
    Failed(String),
    /// This way cannot show a failure of this kind.
    Impossible(String),
}

pub fn run(options: &Options) -> Result<Outcome, CommandError> {
    let start = Instant::now();
    let mut witness = witness_file::read(&options.witness)?;
    let subject = Subject::of_witness(&witness, &options.witness, &options.models)?;
    let outside = Outside { grants: options.outside.grants(), input: StandardInput::inherited() };
    let playback = match witness.path {
        Some(_) => playback::follow_paths(&subject, &witness.execution, &outside)?,
        None => playback::follow(&subject, &witness.execution, &outside)?,
    };
    if options.gdb {
        return debug(&subject, &playback, &witness, &options.gdb_options);
    }
    if let Claim::Failure(failure) = &mut witness.claim
        && let Some(shown) = playback.failure_as(failure)
    {
        failure.stack = shown.stack;
    }
    let mut attempts = Vec::new();
    if !options.native {
        attempts.push((Confirmation::Vm, in_machine(&playback, &witness)));
    }
    if !options.vm {
        attempts.push((Confirmation::Native, natively(&subject, &witness)?));
    }
    let confirmed: Vec<Confirmation> =
        attempts.iter().filter(|(_, a)| matches!(a, Attempt::Reproduced)).map(|(way, _)| *way).collect();
    // Natively "impossible" is an answer only if the machine was asked too.
    let failed = attempts.iter().any(|(_, a)| matches!(a, Attempt::Failed(_)));
    let reproduced = !failed && !confirmed.is_empty();
    if options.common.json {
        say(&report(&witness, options, reproduced, confirmed, start).to_line());
    } else {
        if let Claim::Failure(failure) = &witness.claim
            && !options.common.quiet
        {
            tell(&present::failure(&subject, &playback, &witness.execution, failure));
        }
        attempts.iter().for_each(|(way, attempt)| tell(&words(*way, attempt, &witness.claim)));
    }
    Ok(match (reproduced, &witness.claim) {
        (true, Claim::Failure(_)) => Outcome::Bug,
        (true, Claim::Exit { .. }) => Outcome::Clean,
        (false, _) => Outcome::Unfinished,
    })
}

fn in_machine(playback: &Playback, witness: &Witness) -> Attempt {
    match &witness.path {
        _ if !playback.shows(&witness.claim) => Attempt::Failed(playback.describe_end()),
        Some(path) if playback.path() != *path => {
            Attempt::Failed("it ended so, but the threads took other branches".to_owned())
        }
        _ => Attempt::Reproduced,
    }
}

fn natively(subject: &Subject, witness: &Witness) -> Result<Attempt, CommandError> {
    Ok(match subject.replay_natively(&witness.execution, &witness.claim)? {
        NativeOutcome::Reproduced => Attempt::Reproduced,
        NativeOutcome::NotReproduced { instead } => Attempt::Failed(instead),
        NativeOutcome::CannotShow { why } => Attempt::Impossible(why),
    })
}

/// The machine knows which of gdb's threads is which, and where in it the user's own code is.
fn debug(
    subject: &Subject,
    playback: &Playback,
    witness: &Witness,
    options: &[String],
) -> Result<Outcome, CommandError> {
    let machine = &playback.machine;
    let claimed = witness.claim.failure().and_then(|failure| machine.thread_by_name(&failure.thread));
    let focus = claimed.map_or_else(Focus::default, |thread| {
        let function = machine.user_stack(thread).into_iter().next().map(|frame| frame.function);
        Focus { thread: thread.index(), function }
    });
    if let Some(why) = witness.claim.failure().and_then(|failure| cannot_show(failure.kind)) {
        complain(&format!("{why}: gdb stops where the schedule is over"));
    }
    let status = subject.debug_natively(&witness.execution, &witness.claim, &focus, options)?;
    // A debugger that was ended by a signal did not do what it was asked to.
    Ok(Outcome::Passed(ExitCode::from(status.code().map_or(1, |code| code as u8))))
}

fn words(way: Confirmation, attempt: &Attempt, claim: &Claim) -> String {
    let way = match way {
        Confirmation::Vm => "in the machine",
        Confirmation::Native => "natively",
    };
    match attempt {
        Attempt::Reproduced => format!("{way}: reproduced, {}", present::claim(claim)),
        Attempt::Failed(instead) => format!("{way}: NOT reproduced: {instead}\n"),
        Attempt::Impossible(why) => format!("{way}: cannot be shown: {why}\n"),
    }
}

fn report(
    witness: &Witness,
    options: &Options,
    reproduced: bool,
    confirmed: Vec<Confirmation>,
    start: Instant,
) -> Report {
    let path = options.witness.display().to_string();
    let bug = witness
        .claim
        .failure()
        .filter(|_| reproduced)
        .map(|failure| Bug::new(failure, Some(path), ordain_report::switches(&witness.execution), confirmed));
    let reason = match (reproduced, &witness.claim) {
        (true, Claim::Failure(_)) => None,
        (true, claim @ Claim::Exit { .. }) => Some(format!("reproduced: {}", present::claim(claim).trim_end())),
        (false, _) => Some("the claim was not reproduced".to_owned()),
    };
    Report {
        command: "replay",
        // That one run ends well proves nothing.
        verdict: if bug.is_some() { Verdict::Bug } else { Verdict::Unknown },
        reason,
        runs: 1,
        paths: PathCount::default(),
        queries: 0,
        bugs: bug.into_iter().collect(),
        assumptions: Vec::new(),
        stats: BTreeMap::new(),
        seconds: start.elapsed().as_secs_f64(),
        coverage: None,
        unproved: None,
        tests: None,
    }
}
