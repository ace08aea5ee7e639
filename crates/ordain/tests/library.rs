//! Runs every program of `tests/library` in the machine and natively, and compares what they print.
//!
//! The programs call models of library functions with many values and print what comes out, so the C library itself is
//! what the models are held to. `// stdin: TEXT` in the first lines is what a program finds on its standard input. Both runs
//! happen in an empty directory of their own, which must be empty again afterwards.

use libtest_mimic::{Arguments, Failed, Trial};
use std::fs::File;
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn main() {
    let arguments = Arguments::from_args();
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/library");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&directory)
        .expect("tests/library exists")
        .map(|entry| entry.expect("tests/library can be listed").path())
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    files.sort();
    let mut trials: Vec<Trial> = files
        .iter()
        .map(|file| {
            let (name, file) = (file.file_stem().unwrap_or_default().to_string_lossy().into_owned(), file.clone());
            Trial::test(name, move || same_as_native(&file))
        })
        .collect();
    trials.push(Trial::test("every_model_is_called", move || every_model_is_called(&files)));
    libtest_mimic::run(&arguments, trials).exit();
}

fn same_as_native(file: &Path) -> Result<(), Failed> {
    let input = input(&std::fs::read_to_string(file)?);
    let home = tempfile::tempdir()?;
    let native = home.path().join("native");
    let compiled = Command::new(ordain_ir::CLANG)
        .args(["-O0", "-w", "-pthread", "-o"])
        .args([&native, file])
        .arg("-lm")
        .output()?;
    if !compiled.status.success() {
        return Err(String::from_utf8_lossy(&compiled.stderr).into_owned().into());
    }
    let expected = in_empty_directory(&mut Command::new(&native), &input)?;
    let mut run = Command::new(env!("CARGO_BIN_EXE_ordain"));
    run.args(["run", "--allow-write", ".", "--cflags", "-w"]).arg(file);
    let found = in_empty_directory(&mut run, &input)?;
    same("standard output", &expected.stdout, &found.stdout)?;
    same("standard error", &expected.stderr, &found.stderr)?;
    match found.status.code() {
        Some(0) => Ok(()),
        _ => Err(format!("{}: {}", found.status, String::from_utf8_lossy(&found.stderr)).into()),
    }
}

/// What a program's header says about its standard input.
fn input(source: &str) -> Vec<u8> {
    let line = source.lines().find_map(|line| line.strip_prefix("// stdin: "));
    line.unwrap_or_default().replace("\\n", "\n").into_bytes()
}

fn in_empty_directory(command: &mut Command, input: &[u8]) -> Result<Output, Failed> {
    let directory = tempfile::tempdir()?;
    let mut stdin: File = tempfile::tempfile()?;
    stdin.write_all(input)?;
    stdin.rewind()?;
    command.current_dir(directory.path()).stdin(Stdio::from(stdin)).env("TZ", "UTC").env("LC_ALL", "C");
    let output = command.output()?;
    match std::fs::read_dir(directory.path())?.next() {
        Some(left) => Err(format!("{:?} is left behind", left?.file_name()).into()),
        None => Ok(output),
    }
}

fn same(what: &str, expected: &[u8], found: &[u8]) -> Result<(), Failed> {
    let (expected, found) = (String::from_utf8_lossy(expected), String::from_utf8_lossy(found));
    let (mut e, mut f) = (expected.lines(), found.lines());
    for line in 1.. {
        match (e.next(), f.next()) {
            (None, None) => break,
            (a, b) if a == b => {}
            (a, b) => return Err(format!("{what}, line {line}:\nnatively {a:?}\nhere     {b:?}").into()),
        }
    }
    Ok(())
}

/// Models that other tests are about: threads and what belongs to them, and what only headers and compilers call.
const ELSEWHERE: [&str; 9] = ["pthread_", "sem_", "ordain", "_", "mtx_", "cnd_", "thrd_", "tss_", "call_once"];

fn every_model_is_called(files: &[PathBuf]) -> Result<(), Failed> {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    let others = std::fs::read_dir(programs)?.filter_map(|entry| Some(entry.ok()?.path()));
    let mut text = String::new();
    for file in files.iter().cloned().chain(others.filter(|p| p.extension().is_some_and(|e| e == "c"))) {
        text.push_str(&std::fs::read_to_string(file)?);
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let called: std::collections::BTreeSet<&str> = text.split(|c| !is_part(c)).collect();
    let untested: Vec<_> = ordain_ir::modelled_functions()
        .filter(|name| !ELSEWHERE.iter().any(|prefix| name.starts_with(prefix)))
        .filter(|name| !called.contains(name))
        .collect();
    if untested.is_empty() { Ok(()) } else { Err(format!("no test program calls {}", untested.join(", ")).into()) }
}
