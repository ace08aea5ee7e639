//! `ordain record`: runs a program natively and keeps a log of what each of its threads did.

mod attempts;

use crate::cli::{self, CommonOptions, ProgramOptions};
use crate::error::{CommandError, Outcome};
use crate::output::{complain, say};
use crate::recorded;
use crate::subject::Subject;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use ordain_instrument::{LOG_BYTES_VARIABLE, LOG_VARIABLE, SEED_VARIABLE};
use ordain_model::failure::Failure;
use ordain_model::witness::MemoryModel;
use ordain_record::recording::{EXECUTABLE, seal};
use ordain_record::run::RUN_VERSION;
use ordain_record::{Ending, FollowError, Level, LogError, Recording, Run};
use ordain_report::json::{Bug, Confirmation, PathCount, Report, Verdict};
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What the program finds as its own name, in the machine as well.
const PROGRAM_NAME: &str = "program";
const FIRST_PAUSE: Duration = Duration::from_micros(200);
const LAST_PAUSE: Duration = Duration::from_millis(20);

/// Run a program natively, and keep a log of what its threads do
#[derive(Args, Debug)]
pub struct Options {
    #[command(flatten)]
    program: ProgramOptions,
    /// Directory for the log, which must not exist yet; default: the program's name with .log
    #[arg(short, value_name = "LOG")]
    output: Option<PathBuf>,
    /// How much to log: every thread's path and what enters from outside; also addresses that it read; all that it read
    #[arg(long, value_parser = level(), default_value = "addresses")]
    log: Level,
    /// Ending with this status is a failure; may be repeated
    #[arg(long, value_name = "STATUS")]
    fail_on: Vec<i32>,
    /// Not having ended after so many seconds is a failure, and ends the program
    #[arg(long, value_name = "SECONDS", value_parser = cli::seconds)]
    hang_after: Option<Duration>,
    /// The log takes no more than about so many megabytes; the program goes on without it
    #[arg(long, value_name = "MEGABYTES", default_value_t = 8192)]
    max_log: u32,
    /// Memory model, by store buffers in software: shows what weaker processors than this one would do
    #[arg(long, value_parser = cli::memory_model(), default_value = "sc")]
    memory: MemoryModel,
    /// When stores reach memory follows from this number, as far as it is not up to the system; default: another one each time
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
    /// Run it again until a run fails, N times at most; the log is that of the failing run, or of the last
    #[arg(long, value_name = "N", default_value_t = NonZeroU32::MIN)]
    attempts: NonZeroU32,
    #[command(flatten)]
    pub common: CommonOptions,
}

fn level() -> impl TypedValueParser<Value = Level> {
    PossibleValuesParser::new(["paths", "addresses", "values"]).map(|name| match name.as_str() {
        "paths" => Level::Paths,
        "values" => Level::Values,
        _ => Level::Addresses,
    })
}

pub fn run(options: &Options) -> Result<Outcome, CommandError> {
    let start = Instant::now();
    let subject = Subject::load(&options.program)?;
    let directory = options.output.clone().unwrap_or_else(|| PathBuf::from(format!("{}.log", subject.stem())));
    make_directory(&directory)?;
    let executable = directory.join(EXECUTABLE);
    let table = subject.build_recorder(options.log, options.memory, &executable).inspect_err(|_| {
        // Nothing was recorded, so nothing is left behind.
        let _ = std::fs::remove_dir_all(&directory);
    })?;
    let source = subject.source();
    let mut run = Run {
        version: RUN_VERSION,
        build: subject.build_hash(),
        program: source.program,
        models: source.models,
        cflags: source.cflags,
        args: source.args,
        log: options.log,
        memory: options.memory,
        table,
        ending: None,
        checksums: BTreeMap::new(),
    };
    run.write(&directory).map_err(unwritten)?;
    let attempts = attempts::until_failure(
        options.attempts,
        &directory,
        || execute(options, &executable, &directory),
        |ending| recorded::fails(ending, &options.fail_on),
    )?;
    let ending = attempts.ending;
    run.ending = Some(ending.clone());
    seal(&directory, &mut run).map_err(unwritten)?;
    let recording = Recording::read(&directory).map_err(|e| CommandError::Input(e.to_string()))?;
    let failure = recorded::failure(&subject.loaded.program, &recording, &directory, &options.fail_on);
    let failure = failure.map_err(contradicts)?;
    let size = size_of_log(&directory, &run);
    if options.common.json {
        say(&report(&recording, failure.as_ref(), &ending, attempts.made, size, start).to_line());
    } else {
        tell(options, &recording, failure.as_ref(), &ending, size, &directory);
        if options.attempts > NonZeroU32::MIN && !options.common.quiet {
            complain(&attempts::words(attempts.made, failure.is_some()));
        }
    }
    Ok(if failure.is_some() { Outcome::Bug } else { Outcome::Clean })
}

/// Nothing is overwritten.
fn make_directory(directory: &Path) -> Result<(), CommandError> {
    if let Some(parent) = directory.parent().filter(|p| !p.as_os_str().is_empty()) {
        std::fs::create_dir_all(parent).map_err(|e| CommandError::file("create", parent, &e))?;
    }
    match std::fs::create_dir(directory) {
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => Err(CommandError::Input(format!(
            "{} is there already; give another place with -o, or remove it",
            directory.display()
        ))),
        result => result.map_err(|e| CommandError::file("create", directory, &e)),
    }
}

fn execute(options: &Options, executable: &Path, directory: &Path) -> Result<Ending, CommandError> {
    let absolute = |path: &Path| std::path::absolute(path).map_err(|e| CommandError::file("find", path, &e));
    let mut command = Command::new(absolute(executable)?);
    command.arg0(PROGRAM_NAME).args(&options.program.args).env(LOG_VARIABLE, absolute(directory)?);
    command.env(LOG_BYTES_VARIABLE, (u64::from(options.max_log) << 20).to_string());
    command.env(SEED_VARIABLE, options.seed.unwrap_or_else(any_seed).to_string());
    if options.common.json {
        // One object is all that standard output gets.
        command.stdout(std::io::stderr());
    }
    let child = command.stdin(Stdio::inherit()).spawn().map_err(|e| CommandError::file("start", executable, &e))?;
    wait(child, options.hang_after).map_err(|e| CommandError::file("wait for", executable, &e))
}

fn any_seed() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64)
}

fn wait(mut child: Child, limit: Option<Duration>) -> std::io::Result<Ending> {
    let start = Instant::now();
    let mut pause = FIRST_PAUSE;
    let status = loop {
        let Some(limit) = limit else { break child.wait()? };
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if start.elapsed() >= limit {
            // It may have ended just now; either way it is gone after this.
            let _ = child.kill();
            let _ = child.wait();
            return Ok(Ending::Hang(limit.as_secs()));
        }
        std::thread::sleep(pause);
        pause = (2 * pause).min(LAST_PAUSE);
    };
    Ok(match (status.code(), status.signal()) {
        (Some(code), _) => Ending::Exit(code),
        (None, signal) => Ending::Signal(signal.unwrap_or_default()),
    })
}

fn size_of_log(directory: &Path, run: &Run) -> u64 {
    let size = |name: &String| std::fs::metadata(directory.join(name)).map_or(0, |file| file.len());
    run.checksums.keys().map(size).sum()
}

fn tell(
    options: &Options,
    recording: &Recording,
    failure: Option<&Failure>,
    ending: &Ending,
    size: u64,
    directory: &Path,
) {
    if let Some(failure) = failure {
        complain(&format!("{} at {} in thread {}: {}", failure.kind, failure.place, failure.thread, failure.message));
    }
    if !options.common.quiet {
        let threads = recording.threads.len();
        let plural = if threads == 1 { "" } else { "s" };
        complain(&format!("recorded {threads} thread{plural}, {size} bytes, in {}: {ending}", directory.display()));
    }
    for text in warnings(recording) {
        complain(&text);
    }
}

/// What the log lacks.
fn warnings(recording: &Recording) -> Vec<String> {
    let cut = recording.threads.iter().filter(|thread| thread.cut);
    let mut warnings: Vec<String> = cut
        .map(|thread| format!("there was no room for all of the log of thread {} (--max-log)", thread.name))
        .collect();
    let lost = recording.threads.first().map_or(0, |main| main.lost_threads);
    if lost > 0 {
        warnings.push(format!("{lost} threads have no log: there was no room, or there were too many open files"));
    }
    warnings
}

fn report(
    recording: &Recording,
    failure: Option<&Failure>,
    ending: &Ending,
    attempts: u32,
    size: u64,
    start: Instant,
) -> Report {
    let threads = recording.threads.len() as u64;
    let stats = [("threads", threads), ("log_bytes", size), ("attempts", attempts.into())];
    let bug = failure.map(|failure| Bug::new(failure, None, 0, vec![Confirmation::Native]));
    let mut reason = warnings(recording);
    reason.insert(0, ending.to_string());
    Report {
        // That runs end well proves nothing.
        verdict: if bug.is_some() { Verdict::Bug } else { Verdict::Unknown },
        runs: attempts.into(),
        paths: PathCount::default(),
        bugs: bug.into_iter().collect(),
        stats: stats.into_iter().map(|(name, count)| (name.to_owned(), count)).collect(),
        ..Report::unknown("record", reason.join("; "), start.elapsed().as_secs_f64())
    }
}

fn unwritten(error: LogError) -> CommandError {
    CommandError::Input(error.to_string())
}

/// A log that was written just now, and does not go with the program, is our own mistake.
fn contradicts(error: FollowError) -> CommandError {
    CommandError::Internal(format!("the log contradicts the program: {error}"))
}
