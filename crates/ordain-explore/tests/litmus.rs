//! Litmus tests: under each memory model the weak outcome is found exactly where it is known to be possible.

use ordain_explore::{Options, Verdict, explore};
use ordain_model::failure::FailureKind;
use ordain_model::witness::MemoryModel;
use std::path::{Path, PathBuf};

fn programs() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/litmus");
    let entries = std::fs::read_dir(directory).expect("the litmus tests are there");
    let mut files: Vec<PathBuf> = entries.map(|e| e.expect("readable").path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "c"));
    files.sort();
    files
}

/// Whether the first lines of a test expect the weak outcome under a model.
fn expected(text: &str, memory: MemoryModel) -> bool {
    let line = text.lines().find_map(|l| l.strip_prefix("// expect:")).expect("every litmus test says what to expect");
    let name = match memory {
        MemoryModel::Sc => "sc=",
        MemoryModel::Tso => "tso=",
        MemoryModel::Pso => "pso=",
    };
    let word = line.split_whitespace().find_map(|w| w.strip_prefix(name)).expect("an outcome for every model");
    word == "yes"
}

#[test]
fn exactly_the_known_outcomes() {
    let files = programs();
    assert!(files.len() >= 20, "only {} litmus tests", files.len());
    for file in files {
        let text = std::fs::read_to_string(&file).expect("readable");
        let loaded = ordain_ir::load(std::slice::from_ref(&file), &ordain_ir::CompileOptions::default());
        let program = loaded.unwrap_or_else(|e| panic!("{}: {e}", file.display())).program;
        for memory in [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso] {
            let options = Options { memory, check: vec![FailureKind::Assertion], audit: 50, ..Options::default() };
            let summary = explore(&program, &options, &mut |_| {});
            let summary = summary.unwrap_or_else(|e| panic!("{} under {memory:?}: {e}", file.display()));
            let verdict = if expected(&text, memory) { Verdict::Bug } else { Verdict::Safe };
            assert_eq!(summary.verdict, verdict, "{} under {memory:?}", file.display());
        }
    }
}
