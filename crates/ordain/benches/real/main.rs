//! Real programs, run whole in the machine: `make real`.
//!
//! Each is fetched from Debian's sources, built with `CC="ordain cc"`, and compresses and decompresses with several
//! threads: natively, and in the machine under several schedules. What comes out has to be the same each time, and to be
//! in the end what was compressed. `recipe` says how to come by a program, `data` what it is given; names of programs on
//! the command line are the only ones to be run.

mod data;
mod recipe;

use ordain_ir::facts::Facts;
use ordain_ir::{CompileOptions, Loaded};
use ordain_model::memory::AddressBook;
use ordain_vm::schedulers::{Outcome, Pct, Random, RoundRobin, RunToBlock, Scheduler, run};
use ordain_vm::{Access, Config, End, Grant, Machine, Outside};
use recipe::{Recipe, recipes};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::rc::Rc;
use std::time::Instant;

type Failure = Box<dyn std::error::Error>;

const ROUND_ROBIN_QUANTUM: u32 = 100;
const PCT_DEPTH: u32 = 5;
const PCT_LENGTH: u64 = 1_000_000;

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
        "{:8} {:10} {:14} {:>14} {:>8} {:>10}  same",
        "program", "", "schedule", "instructions", "seconds", "per second"
    );
    for recipe in recipes(&root)?.iter().filter(|r| names.is_empty() || names.contains(&r.name)) {
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
        self.print("native", "", start.elapsed().as_secs_f64(), "", "");
        std::fs::write(self.to, &native.stdout)?;

        let options = CompileOptions { args, ..CompileOptions::default() };
        let loaded = ordain_ir::load(&[executable.to_owned()], &options)?;
        let facts = Facts::new(&loaded.program);
        let mut all_same = true;
        for (schedule, mut scheduler) in schedules() {
            let start = Instant::now();
            let (machine, outcome) = self.in_machine(&loaded, &facts, scheduler.as_mut())?;
            let seconds = start.elapsed().as_secs_f64();
            let same = outcome == Outcome::Ended(End::Exit(0)) && machine.output() == native.stdout;
            let verdict = if same { "yes".to_owned() } else { explain(&machine, &outcome) };
            let instructions = machine.instructions();
            let rate = format!("{:.1} M", instructions as f64 / seconds / 1e6);
            self.print(schedule, &instructions.to_string(), seconds, &rate, &verdict);
            all_same &= same;
        }
        Ok(all_same)
    }

    fn in_machine<'p>(
        &self,
        loaded: &'p Loaded,
        facts: &'p Facts,
        scheduler: &mut dyn Scheduler,
    ) -> Result<(Machine<'p>, Outcome), Failure> {
        let config = Config { reuse_stack: true, ..Config::default() };
        let book = Rc::new(RefCell::new(AddressBook::for_one_run(&loaded.program)));
        let mut machine = Machine::new(&loaded.program, facts, config, book);
        let grants = vec![Grant { path: PathBuf::from(self.from), access: Access::Read }];
        machine.connect(&Outside { grants, ..Outside::default() })?;
        let outcome = run(&mut machine, scheduler, u64::MAX);
        Ok((machine, outcome))
    }

    fn print(&self, schedule: &str, instructions: &str, seconds: f64, rate: &str, verdict: &str) {
        let (program, direction) = (&self.recipe.name, self.name);
        println!("{program:8} {direction:10} {schedule:14} {instructions:>14} {seconds:>8.2} {rate:>10}  {verdict}");
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

/// Why a run is not the same as the native one.
fn explain(machine: &Machine<'_>, outcome: &Outcome) -> String {
    let errors = String::from_utf8_lossy(machine.error_output());
    match outcome {
        Outcome::Ended(End::Exit(0)) => format!("NO: {} bytes of something else", machine.output().len()),
        other => format!("NO: {other:?} {errors}"),
    }
}
