//! Random C programs (by csmith, which avoids undefined behaviour) print in the machine what they print natively.
//!
//! `ORDAIN_FUZZ_CASES` says how many, at three times the number (each is compiled and run four times), `ORDAIN_FUZZ_SEED`
//! where to begin. What takes too long, natively or in the machine, is not judged; there must not be much of it.

use ordain_ir::facts::Facts;
use ordain_ir::{CLANG, CompileOptions, load};
use ordain_vm::schedulers::{Outcome, RunToBlock, run};
use ordain_vm::{Config, End, Machine};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How a process ends that a check has stopped.
const ILLEGAL_INSTRUCTION: i32 = 4;
/// Programs of `make test`.
const SAMPLE: u64 = 25;
/// Of this many programs of `make fuzz`, one is of this kind.
const SHARE: u64 = 3;
const LEVELS: [&str; 2] = ["-O0", "-O2"];
const NATIVE_TIME: Duration = Duration::from_secs(2);
const MOST_POINTS: u64 = 20_000_000;
/// csmith takes every float for an integer of its size here and there.
const FLAGS: [&str; 3] = ["-w", "-Wno-incompatible-pointer-types", "-I/usr/include/csmith"];

/// How the machine ends a run of too many instructions without a point. It says the same of a loop whose state repeats, which
/// no program that ends natively has; a wrong claim of that would be counted here.
const TOO_MANY_INSTRUCTIONS: &str = "a loop without end";

/// What became of a program at one level.
enum Judgement {
    Same,
    /// Or it has no meaning, so that anything may come out.
    TooLong,
    Different(String),
}

#[test]
fn random_programs_do_what_they_do_natively() {
    let asked = number("ORDAIN_FUZZ_CASES").map(|n| n.div_ceil(SHARE));
    let first = number("ORDAIN_FUZZ_SEED").unwrap_or(1);
    let (next, last) = (AtomicU64::new(first), first + asked.unwrap_or(SAMPLE));
    let judgements = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= last {
                        break;
                    }
                    let found = judge(seed);
                    judgements.lock().expect("no judge panicked").extend(found);
                }
            });
        }
    });
    let judgements = judgements.into_inner().expect("no judge panicked");
    let different: Vec<&String> = judgements
        .iter()
        .filter_map(|judgement| match judgement {
            Judgement::Different(what) => Some(what),
            _ => None,
        })
        .collect();
    let too_long = judgements.iter().filter(|j| matches!(j, Judgement::TooLong)).count();
    println!("{} programs and levels, {too_long} of them took too long, or have no meaning", judgements.len());
    assert!(
        different.is_empty(),
        "{} differ:\n{}",
        different.len(),
        different.iter().map(|d| d.as_str()).collect::<String>()
    );
    assert!(too_long * 3 <= judgements.len(), "{too_long} of {} took too long", judgements.len());
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// Options of csmith, in turn.
fn options(seed: u64) -> &'static [&'static str] {
    match seed % 5 {
        0 => &[],
        1 => &["--float"],
        2 => &["--no-packed-struct"],
        3 => &["--no-volatiles", "--no-volatile-pointers"],
        _ => &["--float", "--no-unions"],
    }
}

fn judge(seed: u64) -> Vec<Judgement> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let source = directory.path().join("program.c");
    let status = Command::new("csmith")
        .args(["--seed", &seed.to_string(), "-o"])
        .arg(&source)
        .args(options(seed))
        .stdout(Stdio::null())
        .status()
        .expect("csmith runs (scripts/setup installs it)");
    assert!(status.success(), "csmith --seed {seed}: {status}");
    LEVELS.iter().map(|level| judge_at(seed, level, &source, directory.path())).collect()
}

fn judge_at(seed: u64, level: &str, source: &Path, directory: &Path) -> Judgement {
    match compare(seed, level, source, directory) {
        // Looked at only then: it is one more compilation.
        Judgement::Different(_) if converts_too_large_numbers(source, directory) => Judgement::TooLong,
        judgement => judgement,
    }
}

/// Whether the program converts a floating-point number to an integer that cannot hold it. csmith writes such programs, which
/// have no meaning in C; to LLVM the result is as good as uninitialised.
fn converts_too_large_numbers(source: &Path, directory: &Path) -> bool {
    let executable = directory.join("checked");
    let check = ["-O0", "-fsanitize=float-cast-overflow", "-fsanitize-trap=all", "-lm", "-o"];
    let status = Command::new(CLANG).args(FLAGS).arg(source).args(check).arg(&executable).status();
    assert!(status.expect("clang runs").success(), "{} compiles", source.display());
    // It has ended without these checks.
    let status = Command::new(&executable).stdout(Stdio::null()).status().expect("the program runs");
    status.signal() == Some(ILLEGAL_INSTRUCTION)
}

fn compare(seed: u64, level: &str, source: &Path, directory: &Path) -> Judgement {
    let Some(expected) = native_output(source, level, directory) else { return Judgement::TooLong };
    let what = format!("csmith --seed {seed} {} at {level}", options(seed).join(" "));
    let cflags = FLAGS.iter().chain([&level]).map(|flag| flag.to_string()).collect();
    let loaded = match load(&[source.to_owned()], &CompileOptions { cflags, ..CompileOptions::default() }) {
        Ok(loaded) => loaded,
        Err(error) => return Judgement::Different(format!("{what}: {error}\n")),
    };
    let facts = Facts::new(&loaded.program);
    let config = Config { reuse_stack: true, ..Config::default() };
    let mut machine = Machine::alone(&loaded.program, &facts, config);
    match run(&mut machine, &mut RunToBlock::default(), MOST_POINTS) {
        Outcome::Limit => Judgement::TooLong,
        Outcome::Ended(End::Unsupported { what, .. }) if what.starts_with(TOO_MANY_INSTRUCTIONS) => Judgement::TooLong,
        Outcome::Ended(End::Exit(0)) if machine.output() == expected => Judgement::Same,
        Outcome::Ended(End::Exit(0)) => {
            let (given, wanted) = (String::from_utf8_lossy(machine.output()), String::from_utf8_lossy(&expected));
            Judgement::Different(format!("{what}: {given:?} instead of {wanted:?}\n"))
        }
        other => Judgement::Different(format!("{what}: {other:?}\n")),
    }
}

/// What the program prints natively; `None` if it takes too long, or crashes: csmith makes programs that loop for ever at -O0,
/// which have no meaning in C, and optimised code may do anything then.
fn native_output(source: &Path, level: &str, directory: &Path) -> Option<Vec<u8>> {
    let executable = directory.join(format!("native{level}"));
    let status = Command::new(CLANG).args(FLAGS).args([level, "-o"]).arg(&executable).arg(source).status();
    assert!(status.expect("clang runs").success(), "{} compiles", source.display());
    // Little enough to fit a pipe.
    let mut child = Command::new(&executable).stdout(Stdio::piped()).spawn().expect("the program runs");
    let started = Instant::now();
    while child.try_wait().expect("it can be waited for").is_none() {
        if started.elapsed() > NATIVE_TIME {
            child.kill().expect("it can be ended");
            child.wait().expect("it can be waited for");
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().expect("it can be waited for");
    output.status.success().then_some(output.stdout)
}
