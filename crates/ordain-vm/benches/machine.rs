//! How fast the machine is: five kernels, with one and with two threads, beside native code and LLVM's interpreter.
//!
//! All of them run the same bitcode (clang -O1), except that LLVM's interpreter has no threads, so its second part comes after
//! the first. Each is started several times in turn, and the fastest counts; only ratios are of interest.

use ordain_ir::facts::Facts;
use ordain_ir::{CLANG, CompileOptions, load};
use ordain_vm::schedulers::{self, RoundRobin, Scheduler};
use ordain_vm::{Config, Machine, RaceMode};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const KERNELS: [&str; 5] = ["sieve", "matmul", "digest", "compress", "tree"];
const INTERPRETER: &str = "/usr/lib/llvm-22/bin/lli";
const TIMES: u32 = 3;
/// How large the work is.
const SCALE: u32 = 1;
/// Points until the other thread's turn.
const QUANTUM: u32 = 10_000;

fn main() {
    let only = std::env::args().skip(1).find(|a| !a.starts_with('-'));
    let directory = tempfile::tempdir().expect("a temporary directory");
    println!("{:<12} {:>12} {:>10} {:>11} {:>10}", "kernel", "M inst/s", "to native", "lli/VM", "races/off");
    for kernel in KERNELS.iter().filter(|k| only.as_ref().is_none_or(|only| k.contains(only.as_str()))) {
        for parts in [1, 2] {
            row(kernel, parts, directory.path());
        }
    }
}

fn row(kernel: &str, parts: u32, directory: &Path) {
    let bitcode = compile(kernel, parts, &["-c", "-emit-llvm"], directory, "bc");
    let sequential = compile(kernel, parts, &["-c", "-emit-llvm", "-DSEQUENTIAL"], directory, "sequential.bc");
    let native = compile(kernel, parts, &["-pthread"], directory, "native");
    let loaded = load(&[bitcode], &CompileOptions::default()).unwrap_or_else(|e| panic!("{kernel}: {e}"));
    let facts = Facts::new(&loaded.program);
    let expected = output(&mut Command::new(&native));
    let mut instructions = 0;
    let mut machine = |races: RaceMode| {
        let config = Config { races, ..Config::default() };
        let start = Instant::now();
        let mut machine = Machine::alone(&loaded.program, &facts, config);
        let scheduler: &mut dyn Scheduler = &mut RoundRobin::new(QUANTUM);
        schedulers::run(&mut machine, scheduler, u64::MAX);
        let time = start.elapsed();
        assert_eq!(machine.output(), expected, "{kernel}: {:?}", machine.end());
        instructions = machine.instructions();
        time
    };
    let [mut off, mut on, mut lli, mut fast] = [Duration::MAX; 4];
    for _ in 0..TIMES {
        off = off.min(machine(RaceMode::Off));
        on = on.min(machine(RaceMode::Last));
        lli = lli.min(time(&mut Command::new(INTERPRETER).arg("--force-interpreter").arg(&sequential)));
        fast = fast.min(time(&mut Command::new(&native)));
    }
    let per_second = instructions as f64 / off.as_secs_f64() / 1e6;
    println!(
        "{:<12} {per_second:>12.0} {:>9.1}x {:>10.1}x {:>9.2}x",
        format!("{kernel} x{parts}"),
        off.as_secs_f64() / fast.as_secs_f64(),
        lli.as_secs_f64() / off.as_secs_f64(),
        on.as_secs_f64() / off.as_secs_f64(),
    );
}

fn compile(kernel: &str, parts: u32, flags: &[&str], directory: &Path, name: &str) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/kernels").join(format!("{kernel}.c"));
    let result = directory.join(format!("{kernel}{parts}.{name}"));
    // Contraction and rotations come as intrinsics that the interpreter does not know.
    let status = Command::new(CLANG)
        .args(["-O1", "-ffp-contract=off", &format!("-DPARTS={parts}"), &format!("-DSCALE={SCALE}")])
        .args(flags)
        .arg(source)
        .arg("-o")
        .arg(&result)
        .status();
    assert!(status.is_ok_and(|s| s.success()), "{kernel} does not compile");
    result
}

fn output(command: &mut Command) -> Vec<u8> {
    command.output().expect("it starts").stdout
}

fn time(command: &mut Command) -> Duration {
    let start = Instant::now();
    output(command);
    start.elapsed()
}
