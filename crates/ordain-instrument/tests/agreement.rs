//! Every run of the machine must go the same way natively: same schedule, same inputs, same end.

mod support;

use ordain_judge::generator::{Profile, generate};
use ordain_model::witness::MemoryModel;
use std::path::Path;
use support::Program;

/// Random runs of each program, under each memory model.
const RUNS: u64 = 4;
const MODELS: [MemoryModel; 3] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];
/// Generated programs of each profile.
const SEEDS: u64 = 4;

#[test]
fn native_runs_end_as_those_of_the_machine() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    let mut paths: Vec<_> = std::fs::read_dir(dir)
        .expect("the test programs")
        .map(|entry| entry.expect("a test program").path())
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    paths.sort();
    let mut wrong = Vec::new();
    for (path, cflags) in paths.iter().flat_map(|path| variants(path).into_iter().map(move |v| (path, v))) {
        let program = Program::from_file(path, &cflags, &[]);
        wrong.extend(first_difference(&program).map(|difference| format!("{}: {difference}", path.display())));
    }
    assert!(wrong.is_empty(), "{} of {} programs differ:\n{}", wrong.len(), paths.len(), wrong.join("\n"));
}

#[test]
fn generated_programs_end_as_in_the_machine() {
    for profile in Profile::ALL {
        for seed in 0..SEEDS {
            let text = generate(seed, profile).to_c();
            if let Some(difference) = first_difference(&Program::from_text(&text)) {
                panic!("{profile:?} {seed}: {difference}\n{text}");
            }
        }
    }
}

fn first_difference(program: &Program) -> Option<String> {
    let runs = MODELS.into_iter().flat_map(|memory| (0..RUNS).map(move |seed| (memory, seed)));
    runs.filter_map(|(memory, seed)| program.random_run_under(memory, seed))
        .find_map(|(execution, end)| program.agrees(&execution, &end).err())
}

/// The flags of every case of a test program, which are in its first lines.
fn variants(path: &Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(path).expect("a test program");
    let cases = text.lines().filter_map(|line| line.strip_prefix("// cflags:"));
    let mut variants: Vec<Vec<String>> =
        cases.map(|flags| flags.split_whitespace().map(str::to_owned).collect()).collect();
    if variants.is_empty() {
        variants.push(Vec::new());
    }
    variants
}
