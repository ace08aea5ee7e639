//! Programs do in the machine what they do natively.

mod common;

use ordain_ir::facts::Facts;
use ordain_ir::{CompileOptions, load};
use ordain_vm::schedulers::{Random, run};
use ordain_vm::{Config, End, Machine};
use std::path::{Path, PathBuf};
use std::process::Command;

const MAX_STEPS: u64 = 10_000_000;

/// Runs a program of `tests/same` both ways and compares output and exit code.
fn check(name: &str, cflags: &[&str]) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/same").join(name);
    let cflags: Vec<String> = cflags.iter().map(|flag| flag.to_string()).collect();
    let (native_output, native_code) = natively(&source, &cflags);
    let loaded =
        load(&[source], &CompileOptions { cflags, ..CompileOptions::default() }).unwrap_or_else(|e| panic!("{e}"));
    let facts = Facts::new(&loaded.program);
    for seed in 0..3 {
        let mut machine = Machine::alone(&loaded.program, &facts, Config::default());
        run(&mut machine, &mut Random::new(seed), MAX_STEPS);
        let code = match machine.end() {
            Some(End::Exit(status)) => *status as u8,
            other => panic!("{name} ends with {other:?}"),
        };
        assert_eq!(String::from_utf8_lossy(machine.output()), native_output, "{name}, seed {seed}");
        assert_eq!(Some(i32::from(code)), native_code, "{name}, seed {seed}");
    }
}

fn natively(source: &Path, cflags: &[String]) -> (String, Option<i32>) {
    let files = common::Files::new(&[]);
    let executable: PathBuf = files.path("program");
    let status = Command::new(ordain_ir::CLANG)
        .args(cflags)
        .arg(source)
        .args(["-pthread", "-lm", "-o"])
        .arg(&executable)
        .status();
    assert!(status.expect("clang runs").success());
    let output = Command::new(&executable).output().expect("it runs");
    (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code())
}

#[test]
fn bits() {
    check("bits.c", &[]);
}

#[test]
fn memory() {
    check("memory.c", &[]);
}

#[test]
fn control() {
    check("control.c", &[]);
}

#[test]
fn threads() {
    check("threads.c", &[]);
}

#[test]
fn synchronisation() {
    check("synchronisation.c", &[]);
}

/// What takes more than integers of 64 bits, as clang writes it and as its optimiser does.
#[test]
fn floats() {
    check("floats.c", &[]);
    check("floats.c", &["-O2"]);
}

#[test]
fn wide_numbers() {
    check("wide.c", &[]);
    check("wide.c", &["-O2"]);
}

#[test]
fn vectors() {
    check("vectors.c", &[]);
    check("vectors.c", &["-O2"]);
}

#[test]
fn integers() {
    check("integers.c", &[]);
    check("integers.c", &["-O2"]);
}

#[test]
fn strings() {
    check("strings.c", &[]);
}

#[test]
fn options() {
    check("options.c", &[]);
}

#[test]
fn optimised_code_too() {
    for name in ["bits.c", "memory.c", "control.c", "threads.c"] {
        check(name, &["-O1"]);
        check(name, &["-O2"]);
    }
}
