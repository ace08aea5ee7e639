//! The analysis of what threads share, held to what they touch in the machine; and to what is expected of it.
//!
//! `tests/sharing` has programs whose lines say what their accesses are: `// private` or `// shared`. Whatever is said to be
//! private, there, in the other programs of the tests and benchmarks, and in random programs: in no run does a second thread
//! touch it.

use ordain_analysis::{Private, private};
use ordain_ir::facts::Facts;
use ordain_ir::program::{FuncId, Inst, Pc, Program};
use ordain_ir::{CompileOptions, load};
use ordain_judge::generator::{Profile, generate};
use ordain_vm::schedulers::{Random, run};
use ordain_vm::{Action, Config, Inputs, Machine};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

const RUNS: u64 = 4;
const MOST_POINTS: u64 = 30_000;
const RANDOM_PROGRAMS: u64 = 60;

/// `None`: it is not a program by itself.
fn program(file: &Path, cflags: &[&str]) -> Option<Program> {
    ordain_ir::child::set_helper(env!("CARGO_BIN_EXE_ordain-judge").into());
    let cflags = cflags.iter().map(|&flag| flag.to_owned()).collect();
    load(&[file.to_owned()], &CompileOptions { cflags, ..CompileOptions::default() }).ok().map(|loaded| loaded.program)
}

fn sources(directory: &str) -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(directory);
    let files = std::fs::read_dir(&directory).expect("the directory can be read");
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("an entry").path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "c"));
    files.sort();
    assert!(!files.is_empty());
    files
}

/// What a thread touches that was said to be another's alone, in a few random runs. Also how many accesses were private.
fn wrong(program: &Program, private: &Private) -> (Option<String>, usize) {
    let facts = Facts::new(program);
    let mut count = 0;
    for seed in 0..RUNS {
        let mut machine = Machine::alone(program, &facts, Config { record: true, ..Config::default() });
        machine.provide_inputs(Inputs::random(seed));
        run(&mut machine, &mut Random::new(seed), MOST_POINTS);
        // Addresses are not used again.
        let mut by_thread = HashMap::new();
        let accesses = machine.log().iter().filter_map(|executed| match executed.action {
            Action::Load { address, size, .. }
            | Action::Store { address, size, .. }
            | Action::Rmw { address, size, .. }
            | Action::CmpXchg { address, size, .. } => Some((executed, address..address + u64::from(size))),
            _ => None,
        });
        let accesses: Vec<_> = accesses.collect();
        for (executed, bytes) in &accesses {
            for byte in bytes.clone() {
                let who = by_thread.entry(byte).or_insert(Some(executed.thread));
                *who = who.filter(|&who| who == executed.thread);
            }
        }
        for (executed, bytes) in &accesses {
            if !private.contains(executed.function, executed.pc) {
                continue;
            }
            count += 1;
            if bytes.clone().any(|byte| by_thread[&byte].is_none()) {
                let name = &program.function(executed.function).name;
                let line = program.location(executed.function, executed.pc).line;
                return (Some(format!("{name}, line {line}, seed {seed}")), count);
            }
        }
    }
    (None, count)
}

fn hold(directory: &str, cflags: &[&str]) {
    let mut all = 0;
    for file in sources(directory) {
        let Some(program) = program(&file, cflags) else { continue };
        let (wrong, count) = wrong(&program, &private(&program));
        assert_eq!(wrong, None, "{}", file.display());
        all += count;
    }
    assert!(all > 0, "nothing at all is private");
}

#[test]
fn in_test_programs() {
    hold("tests/programs", &[]);
}

#[test]
fn in_programs_about_sharing() {
    hold("tests/sharing", &[]);
    hold("tests/sharing", &["-O2"]);
}

#[test]
fn in_benchmarks() {
    hold("bench/kernels", &["-DPARTS=2", "-DNODES=50", "-DSIZE=500", "-DROUNDS=2", "-DN=6", "-DLIMIT=500"]);
    hold("bench/shared", &["-O2", "-DROUNDS=60"]);
    hold("bench/recorded", &[]);
}

#[test]
fn in_random_programs() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("program.c");
    for seed in 0..RANDOM_PROGRAMS {
        let profile = Profile::ALL[seed as usize % Profile::ALL.len()];
        let text = generate(seed, profile).to_c();
        std::fs::write(&file, &text).expect("can be written");
        let program = program(&file, &[]).expect("random programs are programs");
        assert_eq!(wrong(&program, &private(&program)).0, None, "seed {seed}\n{text}");
    }
}

/// What the comments of a program say about lines.
fn expected(file: &Path) -> HashMap<u32, bool> {
    let text = std::fs::read_to_string(file).expect("a text");
    let says = |line: &str| match line.split_once("// ")?.1.trim() {
        "private" => Some(true),
        "shared" => Some(false),
        _ => None,
    };
    (1..).zip(text.lines()).filter_map(|(number, line)| Some((number, says(line)?))).collect()
}

#[test]
fn as_expected() {
    for file in sources("tests/sharing") {
        let program = program(&file, &[]).expect("a program");
        let (private, lines) = (private(&program), expected(&file));
        let mut seen: HashMap<u32, Vec<bool>> = HashMap::new();
        for (id, function) in (0..).map(FuncId).zip(&program.functions).filter(|(_, function)| !function.model) {
            for (pc, inst) in (0..).map(Pc).zip(&function.code) {
                if matches!(inst, Inst::Load { point: true, .. } | Inst::Store { point: true, .. }) {
                    seen.entry(program.location(id, pc).line).or_default().push(private.contains(id, pc));
                }
            }
        }
        for (line, expected) in lines {
            // Of the accesses in a shared line one is enough: the others are of how to get there.
            let seen = seen.get(&line).map_or(&[][..], Vec::as_slice);
            let right = if expected { seen.iter().all(|p| *p) } else { seen.iter().any(|p| !p) };
            assert!(right && !seen.is_empty(), "{}:{line}: private is {seen:?}", file.display());
        }
    }
}
