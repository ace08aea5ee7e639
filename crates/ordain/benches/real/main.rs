//! Real programs, run whole in the machine: `make real`.
//!
//! Each is fetched from Debian's sources, built with `CC="ordain cc"`, and compresses and decompresses with several
//! threads: natively, and in the machine under several schedules, with all its checks. What comes out has to be the same
//! each time, and to be in the end what was compressed. Of its threads (two at least), those are told apart that do a
//! noticeable part of the work. `recipe` says how to come by a program, `data` what it is given; names of programs on
//! the command line are the only ones to be run.

mod data;
mod recipe;

use ordain_ir::facts::Facts;
use ordain_ir::{CompileOptions, Loaded};
use ordain_model::memory::AddressBook;
use ordain_vm::schedulers::{Outcome, Pct, Random, RoundRobin, RunToBlock, Scheduler, run};
use ordain_vm::{Access, Config, End, Grant, Machine, Outside, RaceMode};
use recipe::{Recipe, recipes};
use std::cell::RefCell;
use std::fmt::{Display, Formatter};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::rc::Rc;
use std::time::Instant;

type Failure = Box<dyn std::error::Error>;

const ROUND_ROBIN_QUANTUM: u32 = 100;
const PCT_DEPTH: u32 = 5;
const PCT_LENGTH: u64 = 10_000_000;
/// No run needs more points than this.
const MOST_POINTS: u64 = 1_000_000_000;
/// A thread is at work if it executes at least one in this many of all points.
const NOTICEABLE: u64 = 100;

fn main() -> ExitCode {
    // Cargo adds options of its own.
    let names: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    match run_all(&names) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

/// Whether everything came out the same.
fn run_all(names: &[String]) -> Result<bool, Failure> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let directory = root.join("target/real");
    let mut all_same = true;
    println!(
        "{:8} {:10} {:14} {:>7} {:>14} {:>8} {:>10}  same",
        "program", "", "schedule", "threads", "instructions", "seconds", "per second"
    );
    for recipe in recipes(&root, "programs")?.iter().filter(|r| names.is_empty() || names.contains(&r.name)) {
        let executable = recipe.make(&root, &directory)?;
        let place = directory.join("data").join(&recipe.name);
        std::fs::create_dir_all(&place)?;
        let (plain, packed) = (place.join("plain"), place.join("packed"));
        std::fs::write(&plain, data::data())?;
        all_same &= Direction { recipe, name: "compress", args: &recipe.compress, from: &plain, to: &packed }
            .run(&executable)?;
        let unpacked = place.join("unpacked");
        all_same &= Direction { recipe, name: "decompress", args: &recipe.decompress, from: &packed, to: &unpacked }
            .run(&executable)?;
        if std::fs::read(&unpacked)? != data::data() {
            println!("{:8} natively, what was decompressed is not what was compressed", recipe.name);
            all_same = false;
        }
    }
    Ok(all_same)
}

/// One use of a program.
struct Direction<'a> {
    recipe: &'a Recipe,
    name: &'static str,
    args: &'a [String],
    from: &'a Path,
    /// Where what comes out natively is kept.
    to: &'a Path,
}

impl Direction<'_> {
    /// Runs it every way; whether all outputs are the same.
    fn run(&self, executable: &Path) -> Result<bool, Failure> {
        let mut args = self.args.to_vec();
        args.push(self.from.display().to_string());
        let start = Instant::now();
        let native = Command::new(executable).args(&args).output()?;
        if !native.status.success() {
            return Err(format!("{} natively: {}", self.recipe.name, String::from_utf8_lossy(&native.stderr)).into());
        }
        self.print("native", Figures { seconds: start.elapsed().as_secs_f64(), ..Figures::default() }, "");
        std::fs::write(self.to, &native.stdout)?;

        let options = CompileOptions { args, ..CompileOptions::default() };
        let loaded = ordain_ir::load(&[executable.to_owned()], &options)?;
        let facts = Facts::new(&loaded.program);
        let mut all_same = true;
        for (schedule, mut scheduler) in schedules() {
            let start = Instant::now();
            let (machine, outcome) = self.in_machine(&loaded, &facts, scheduler.as_mut())?;
            let figures = Figures::of(&machine, start.elapsed().as_secs_f64());
            let same = outcome == Outcome::Ended(End::Exit(0)) && machine.output() == native.stdout;
            let fine = same && figures.threads >= 2 && machine.races().is_empty();
            let verdict = if fine { "yes".to_owned() } else { explain(&machine, &outcome, same) };
            self.print(schedule, figures, &verdict);
            all_same &= fine;
        }
        Ok(all_same)
    }

    fn in_machine<'p>(
        &self,
        loaded: &'p Loaded,
        facts: &'p Facts,
        scheduler: &mut dyn Scheduler,
    ) -> Result<(Machine<'p>, Outcome), Failure> {
        let config = Config { races: RaceMode::Last, reuse_stack: true, ..Config::default() };
        let book = Rc::new(RefCell::new(AddressBook::for_one_run(&loaded.program)));
        let mut machine = Machine::new(&loaded.program, facts, config, book);
        let grants = vec![Grant { path: PathBuf::from(self.from), access: Access::Read }];
        machine.connect(&Outside { grants, ..Outside::default() })?;
        let outcome = run(&mut machine, scheduler, MOST_POINTS);
        Ok((machine, outcome))
    }

    fn print(&self, schedule: &str, figures: Figures, verdict: &str) {
        let (program, direction) = (&self.recipe.name, self.name);
        println!("{program:8} {direction:10} {schedule:14} {figures}  {verdict}");
    }
}

/// What a run took.
#[derive(Default)]
struct Figures {
    seconds: f64,
    /// The rest is of runs in the machine only.
    instructions: u64,
    threads: usize,
    at_work: usize,
}

impl Figures {
    fn of(machine: &Machine<'_>, seconds: f64) -> Figures {
        let points: Vec<u64> = machine.thread_ids().map(|thread| machine.points(thread)).collect();
        let all: u64 = points.iter().sum();
        let at_work = points.iter().filter(|own| **own * NOTICEABLE >= all).count();
        Figures { seconds, instructions: machine.instructions(), threads: points.len(), at_work }
    }
}

impl Display for Figures {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let Figures { seconds, instructions, threads, at_work } = self;
        if *instructions == 0 {
            return write!(f, "{:>7} {:>14} {seconds:>8.2} {:>10}", "", "", "");
        }
        let rate = format!("{:.1} M", *instructions as f64 / seconds / 1e6);
        write!(f, "{:>7} {instructions:>14} {seconds:>8.2} {rate:>10}", format!("{at_work} of {threads}"))
    }
}

fn schedules() -> [(&'static str, Box<dyn Scheduler>); 5] {
    [
        ("run to block", Box::new(RunToBlock::default())),
        ("round robin", Box::new(RoundRobin::new(ROUND_ROBIN_QUANTUM))),
        ("random 1", Box::new(Random::new(1))),
        ("random 2", Box::new(Random::new(2))),
        ("pct", Box::new(Pct::new(PCT_DEPTH, PCT_LENGTH, 1))),
    ]
}

/// Why a run is not what it should be.
fn explain(machine: &Machine<'_>, outcome: &Outcome, same: bool) -> String {
    let errors = String::from_utf8_lossy(machine.error_output());
    match (outcome, machine.races()) {
        (Outcome::Ended(End::Exit(0)), _) if !same => format!("NO: {} bytes of something else", machine.output().len()),
        (Outcome::Ended(End::Exit(0)), [race, others @ ..]) => {
            format!("yes, but a race at {}: {} (and {} more)", race.place, race.message, others.len())
        }
        (Outcome::Ended(End::Exit(0)), []) => "yes, but there is only one thread".to_owned(),
        (Outcome::Limit, _) => {
            let places = machine.thread_ids().map(|t| format!("{} at {}", machine.name(t), machine.place(t)));
            format!("NO: no end after {MOST_POINTS} points: {}", places.collect::<Vec<_>>().join(", "))
        }
        (other, _) => format!("NO: {other:?} {errors}"),
    }
}
