//! Do the judges notice faults in the encoding?
//!
//! Programs are compiled and enumerated once, then explored with each fault in turn until one of them shows it: the litmus
//! tests first, then random programs. Prints a row of `tests/MUTANTS.md` for each fault; what nobody notices here is left
//! to `tests/programs`, by `tests/mutants.sh`.

use super::{Comparison, Judged, number};
use ordain_explore::{Options, Verdict, explore};
use ordain_ir::program::Program;
use ordain_judge::generator::{Profile, generate};
use ordain_model::failure::FailureKind;
use ordain_model::faults::{Fault, seed};
use ordain_model::witness::MemoryModel;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// A fault can make a search go on for ever. Without a fault every program that is asked takes a tenth of this at most.
const MOST_TIME: Duration = Duration::from_secs(20);

/// Random programs for each memory model.
const CASES: u64 = 200;

const MODELS: [MemoryModel; 3] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];

/// A litmus test, under one memory model.
struct Litmus {
    name: String,
    program: Program,
    memory: MemoryModel,
    verdict: Verdict,
}

impl Litmus {
    fn explore(&self) -> Result<Verdict, String> {
        let options = Options {
            memory: self.memory,
            check: vec![FailureKind::Assertion],
            audit: 50,
            time: Some(MOST_TIME),
            ..Options::default()
        };
        explore(&self.program, &options, &mut |_| {}).map(|s| s.verdict).map_err(|e| e.to_string())
    }

    fn notices(&self) -> bool {
        !matches!(catch_unwind(AssertUnwindSafe(|| self.explore())), Ok(Ok(verdict)) if verdict == self.verdict)
    }
}

/// What each litmus test gives without a fault (`litmus.rs` says that this is right).
fn litmus_tests() -> Vec<Litmus> {
    let mut tests = Vec::new();
    let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/litmus");
    for entry in std::fs::read_dir(directory).expect("the litmus tests are there") {
        let file = entry.expect("readable").path();
        if file.extension().is_none_or(|e| e != "c") {
            continue;
        }
        let loaded = ordain_ir::load(std::slice::from_ref(&file), &ordain_ir::CompileOptions::default());
        let program = loaded.expect("litmus tests compile").program;
        for memory in MODELS {
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let mut test = Litmus { name, program: program.clone(), memory, verdict: Verdict::Safe };
            test.verdict = test.explore().expect("litmus tests can be explored");
            tests.push(test);
        }
    }
    tests
}

/// Random programs on which exploration is quick, and right, without a fault.
fn random_programs() -> Vec<(u64, Judged)> {
    let cases = number("ORDAIN_FUZZ_CASES", CASES);
    let every: Vec<Profile> = Profile::ALL.into_iter().chain(Profile::LIBRARY).collect();
    let mut programs = Vec::new();
    for memory in MODELS {
        for case in 1..=cases {
            let profile = every[case as usize % every.len()];
            let Some(judged) = Judged::new(&generate(case, profile), memory) else { continue };
            match judged.compare(MOST_TIME / 10) {
                Comparison::Same => programs.push((case, judged)),
                Comparison::Different(what) => panic!("seed {case}, {memory:?}, without any fault: {what}"),
                Comparison::TooLarge | Comparison::TooSlow => {}
            }
        }
    }
    programs
}

/// Who notices the active fault, and how.
fn noticed(litmus: &[Litmus], programs: &[(u64, Judged)]) -> Option<String> {
    if let Some(test) = litmus.iter().find(|t| t.notices()) {
        return Some(format!("litmus | {} under {:?}", test.name, test.memory));
    }
    programs.iter().find_map(|(case, judged)| {
        let how = match catch_unwind(AssertUnwindSafe(|| judged.compare(MOST_TIME))) {
            Ok(Comparison::Same | Comparison::TooLarge) => return None,
            Ok(Comparison::Different(_)) => "differs",
            Ok(Comparison::TooSlow) => "does not end",
            Err(_) => "panics",
        };
        Some(format!("random programs | seed {case} under {:?} {how}", judged.memory))
    })
}

#[test]
#[ignore = "takes minutes; tests/mutants.sh runs it"]
fn every_fault() {
    seed(None);
    let (litmus, programs) = (litmus_tests(), random_programs());
    std::panic::set_hook(Box::new(|_| {}));
    for &fault in Fault::ALL {
        seed(Some(fault));
        let by = noticed(&litmus, &programs).unwrap_or_else(|| "**nobody** | -".to_owned());
        println!("| {fault:?} | {} | {by} |", fault.what());
    }
    let _ = std::panic::take_hook();
}
