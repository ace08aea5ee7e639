//! Recorded paths against the machine's: a program with one thread and no inputs takes the same branches in both.
//!
//! Compared are the branches of the program's own functions, in their order. Those of models are not: in a recording some
//! models give way to the C library's functions.

use libtest_mimic::{Arguments, Failed, Trial};
use ordain_instrument::{LOG_VARIABLE, RecordOptions, build_recorder};
use ordain_ir::facts::Facts;
use ordain_ir::program::Program;
use ordain_ir::{CompileOptions, Loaded, load};
use ordain_model::witness::MemoryModel;
use ordain_record::run::RUN_VERSION;
use ordain_record::{Decision, Ending, Level, PathEnd, Recording, Run, Seen, follow_with};
use ordain_rt::format::State;
use ordain_vm::schedulers::{Outcome, RunToBlock, run};
use ordain_vm::{Config, End, Inputs, Machine};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Programs that always do the same, whatever surrounds them: with how much to do (for the kernels).
const PROGRAMS: &[(&str, &[&str])] = &[
    ("bench/kernels/digest.c", &[]),
    ("bench/kernels/tree.c", &["-DKEYS=300"]),
    ("tests/library/mathematics.c", &[]),
    ("tests/library/numbers.c", &[]),
    ("tests/library/printing.c", &[]),
    ("tests/library/sorting.c", &[]),
    ("tests/library/text.c", &[]),
    ("tests/programs/computed_goto.c", &[]),
    ("tests/programs/jump.c", &[]),
    ("tests/programs/long_fields.c", &[]),
    ("tests/programs/variadic.c", &[]),
    ("tests/sharing/by_value.c", &["-O2"]),
];
const MOST_POINTS: u64 = 50_000_000;

/// Whether it is known what memory one thread alone touches. In these programs that is all of it, so values are logged only if
/// it is not.
#[derive(Clone, Copy, Debug)]
enum Private {
    Unknown,
    Known,
}

fn main() {
    let arguments = Arguments::from_args();
    ordain_ir::child::set_helper(PathBuf::from(env!("CARGO_BIN_EXE_ordain-instrument-bitcode")));
    let trials = PROGRAMS.iter().flat_map(|(file, flags)| {
        [Private::Unknown, Private::Known]
            .map(|private| Trial::test(format!("{file}, {private:?}"), move || same_path(file, flags, private)))
    });
    libtest_mimic::run(&arguments, trials.collect()).exit();
}

fn same_path(file: &str, flags: &[&str], private: Private) -> Result<(), Failed> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
    let options = CompileOptions { cflags: flags.iter().map(|f| f.to_string()).collect(), ..CompileOptions::default() };
    let loaded = load(&[path], &options)?;
    let (expected, status) = in_machine(&loaded.program)?;
    let (recorded, ending) = natively(&loaded, private)?;
    if ending != Ending::Exit(status & 0xff) {
        return Err(format!("natively {ending}; in the machine with status {status}").into());
    }
    if expected.is_empty() {
        return Err("the program has no branches to compare".into());
    }
    let differs = expected.iter().zip(&recorded).position(|(a, b)| a != b);
    match differs {
        Some(at) => {
            let Decision { function, pc, .. } = expected[at];
            let place = loaded.program.location(function, pc);
            Err(format!(
                "branch {at}, line {}: {:?} in the machine, {:?} recorded",
                place.line, expected[at], recorded[at]
            )
            .into())
        }
        None if expected.len() != recorded.len() => {
            Err(format!("{} branches in the machine, {} recorded", expected.len(), recorded.len()).into())
        }
        None => Ok(()),
    }
}

fn is_users(program: &Program, decision: &Decision) -> bool {
    !program.function(decision.function).model
}

fn in_machine(program: &Program) -> Result<(Vec<Decision>, i32), Failed> {
    let facts = Facts::new(program);
    let mut machine = Machine::alone(program, &facts, Config { branches: true, ..Config::default() });
    machine.provide_inputs(Inputs::zero());
    let Outcome::Ended(End::Exit(status)) = run(&mut machine, &mut RunToBlock::default(), MOST_POINTS) else {
        return Err(format!("the machine: {:?}", machine.end()).into());
    };
    let main = machine.thread_ids().next().ok_or("there is no thread")?;
    let all = machine.branches(main).iter();
    let decisions = all.map(|b| Decision { function: b.function, pc: b.pc, to: b.to });
    Ok((decisions.filter(|d| is_users(program, d)).collect(), status))
}

fn natively(loaded: &Loaded, private: Private) -> Result<(Vec<Decision>, Ending), Failed> {
    let program = &loaded.program;
    let directory = tempfile::tempdir()?;
    let executable = directory.path().join("executable");
    let private = match private {
        Private::Known => ordain_analysis::private(program).points(program),
        Private::Unknown => Vec::new(),
    };
    let options = RecordOptions { build: program.build.0, level: Level::Values, memory: MemoryModel::Sc, private };
    let table = build_recorder(&loaded.bitcode, &options, &executable)?;
    let mut command = Command::new(&executable);
    command.env_clear().env(LOG_VARIABLE, directory.path());
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    let ending = Ending::Exit(status.code().ok_or_else(|| format!("natively: {status}"))?);
    let run = Run {
        version: RUN_VERSION,
        build: program.build.0.iter().map(|byte| format!("{byte:02x}")).collect(),
        program: Vec::new(),
        models: Vec::new(),
        cflags: Vec::new(),
        args: Vec::new(),
        log: Level::Values,
        memory: MemoryModel::Sc,
        table,
        ending: Some(ending.clone()),
        checksums: Default::default(),
    };
    run.write(directory.path())?;
    let recording = Recording::read(directory.path())?;
    let [thread] = recording.threads.as_slice() else { return Err("more than one thread".into()) };
    let mut decisions = Vec::new();
    let mut see = |seen| {
        if let Seen::Decision(decision) = seen
            && is_users(program, &decision)
        {
            decisions.push(decision);
        }
    };
    let followed = follow_with(program, &recording, thread, directory.path(), &mut see)?;
    if followed.disagreements > 0 {
        return Err(format!("{} of {} values disagree with the path", followed.disagreements, followed.values).into());
    }
    match followed.end {
        PathEnd::Ended(State::EndedProcess | State::EndedProcessNow) => Ok((decisions, ending)),
        end => Err(format!("the path ends otherwise: {end:?}").into()),
    }
}
