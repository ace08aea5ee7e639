//! Every run of the machine must go the same way natively: same schedule, same inputs, same end.

mod support;

use std::path::Path;
use support::Program;

const RUNS: u64 = 10;

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
        let program = Program::from_file(path, &cflags);
        for (execution, end) in (0..RUNS).filter_map(|seed| program.random_run(seed)) {
            if let Err(difference) = program.agrees(&execution, &end) {
                wrong.push(format!("{}: {difference}", path.display()));
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {} programs differ:\n{}", wrong.len(), paths.len(), wrong.join("\n"));
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
