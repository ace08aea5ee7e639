//! How fast the machine is: five kernels, with one and with two threads, beside native code and LLVM's interpreter.
//!
//! All of them run the same bitcode (clang -O1), except that LLVM's interpreter has no threads: there the second part comes
//! after the first. Times are processor time, of the fastest of several runs, without what it takes to start (and, in the
//! machine, to read bitcode); only ratios are of interest.

use ordain_ir::facts::Facts;
use ordain_ir::{CLANG, CompileOptions, load};
use ordain_vm::schedulers::{self, RoundRobin};
use ordain_vm::{Config, Machine, RaceMode};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const KERNELS: [&str; 5] = ["sieve", "matmul", "digest", "compress", "tree"];
const INTERPRETER: &str = "/usr/lib/llvm-22/bin/lli";
const TIMES: u32 = 3;
/// Points until the other thread's turn.
const QUANTUM: u32 = 10_000;

fn main() {
    let only = std::env::args().skip(1).find(|a| !a.starts_with('-'));
    let directory = tempfile::tempdir().expect("a temporary directory");
    let start_up = start_up(directory.path());
    println!("{:<12} {:>10} {:>12} {:>10} {:>10}", "kernel", "Minst/s", "VM/native", "lli/VM", "races/off");
    for kernel in KERNELS.iter().filter(|k| only.as_ref().is_none_or(|only| k.contains(only.as_str()))) {
        for parts in [1, 2] {
            row(kernel, parts, directory.path(), start_up);
        }
    }
}

/// How long LLVM's interpreter and a native program take for nothing.
fn start_up(directory: &Path) -> [Duration; 2] {
    let source = directory.join("nothing.c");
    std::fs::write(&source, "int main(void) { return 0; }").expect("can be written");
    let bitcode = compile(&source, 1, &["-c", "-emit-llvm"], directory.join("nothing.bc"));
    let native = compile(&source, 1, &[], directory.join("nothing"));
    [fastest(|| interpret(&bitcode)), fastest(|| time(&mut Command::new(&native)))]
}

fn row(kernel: &str, parts: u32, directory: &Path, start_up: [Duration; 2]) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/kernels").join(format!("{kernel}.c"));
    let result = |name: &str| directory.join(format!("{kernel}{parts}.{name}"));
    let bitcode = compile(&source, parts, &["-c", "-emit-llvm"], result("bc"));
    let sequential = compile(&source, parts, &["-c", "-emit-llvm", "-DSEQUENTIAL"], result("sequential.bc"));
    let native = compile(&source, parts, &["-pthread"], result("native"));
    let loaded = load(&[bitcode], &CompileOptions::default()).unwrap_or_else(|e| panic!("{kernel}: {e}"));
    let facts = Facts::new(&loaded.program);
    let expected = Command::new(&native).output().expect("it starts").stdout;
    let mut instructions = 0;
    let mut machine = |races: RaceMode| {
        let config = Config { races, ..Config::default() };
        let start = processor_time(libc::RUSAGE_SELF);
        let mut machine = Machine::alone(&loaded.program, &facts, config);
        schedulers::run(&mut machine, &mut RoundRobin::new(QUANTUM), u64::MAX);
        let time = processor_time(libc::RUSAGE_SELF) - start;
        assert_eq!(machine.output(), expected, "{kernel}: {:?}", machine.end());
        instructions = machine.instructions();
        time
    };
    let (off, on) = (fastest(|| machine(RaceMode::Off)), fastest(|| machine(RaceMode::Last)));
    let lli = fastest(|| interpret(&sequential)).saturating_sub(start_up[0]);
    let native = fastest(|| time(&mut Command::new(&native))).saturating_sub(start_up[1]);
    let ratio = |a: Duration, b: Duration| a.as_secs_f64() / b.as_secs_f64().max(1e-6);
    println!(
        "{:<12} {:>10.0} {:>11.1}x {:>9.1}x {:>9.2}x",
        format!("{kernel} x{parts}"),
        instructions as f64 / off.as_secs_f64() / 1e6,
        ratio(off, native),
        ratio(lli, off),
        ratio(on, off),
    );
}

fn compile(source: &Path, parts: u32, flags: &[&str], result: PathBuf) -> PathBuf {
    // Contracted operations come as an intrinsic that the interpreter does not know.
    let mut command = Command::new(CLANG);
    command.args(["-O1", "-g", "-ffp-contract=off", &format!("-DPARTS={parts}")]).args(flags).arg(source);
    let status = command.arg("-o").arg(&result).status();
    assert!(status.is_ok_and(|s| s.success()), "{} does not compile", source.display());
    result
}

fn fastest(mut once: impl FnMut() -> Duration) -> Duration {
    (0..TIMES).map(|_| once()).min().expect("at least one")
}

fn interpret(bitcode: &Path) -> Duration {
    time(Command::new(INTERPRETER).arg("--force-interpreter").arg(bitcode))
}

fn time(command: &mut Command) -> Duration {
    let start = processor_time(libc::RUSAGE_CHILDREN);
    let output = command.output().expect("it starts");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    processor_time(libc::RUSAGE_CHILDREN) - start
}

/// Time spent by this process or by children that have ended.
fn processor_time(whose: libc::c_int) -> Duration {
    // SAFETY: the structure is plain numbers, and the system fills it in.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(whose, &mut usage);
        usage
    };
    let duration = |t: libc::timeval| Duration::new(t.tv_sec as u64, t.tv_usec as u32 * 1000);
    duration(usage.ru_utime) + duration(usage.ru_stime)
}
