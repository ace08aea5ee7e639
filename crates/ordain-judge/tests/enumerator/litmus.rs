//! The enumerators against what is known of TSO and PSO: every litmus test says in its first line which memory models
//! show the weak outcome.

use crate::common;
use ordain_judge::enumerate::Limits;
use ordain_judge::judge::judge_file;
use ordain_model::witness::MemoryModel;
use std::fs;
use std::path::{Path, PathBuf};

const MODELS: [(&str, MemoryModel); 3] =
    [("sc", MemoryModel::Sc), ("tso", MemoryModel::Tso), ("pso", MemoryModel::Pso)];

fn litmus_tests() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/litmus");
    let entries = fs::read_dir(directory).expect("the litmus tests are there");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("the directory can be read").path()).collect();
    files.sort();
    files
}

/// Whether the weak outcome is expected, from the line `// expect: sc=no tso=yes pso=yes`.
fn expected(text: &str, model: &str) -> bool {
    let line = text.lines().next().and_then(|l| l.strip_prefix("// expect: ")).expect("it says what to expect");
    let words: Vec<_> = line.split(' ').collect();
    assert_eq!(words.len(), MODELS.len(), "{line}");
    words.contains(&format!("{model}=yes").as_str())
}

#[test]
fn memory_models_show_what_they_are_known_to_show() {
    common::set_helper();
    let tests = litmus_tests();
    assert!(tests.len() > 30);
    for file in tests {
        let text = fs::read_to_string(&file).expect("the test can be read");
        for (name, model) in MODELS {
            let verdict = judge_file(&file, model, Limits::default()).expect("the test compiles");
            assert_eq!(verdict.incomplete, None, "{} under {name}", file.display());
            let shown = !verdict.found.errors.is_empty();
            assert_eq!(shown, expected(&text, name), "{} under {name}:\n{verdict}", file.display());
            assert!(verdict.found.races.is_empty(), "{}:\n{verdict}", file.display());
        }
    }
}
