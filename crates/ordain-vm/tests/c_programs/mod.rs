//! C programs for tests: from the repository's own collections, or from text in the test.
#![allow(dead_code, reason = "every test binary uses a part of this")]

use ordain_ir::facts::Facts;
use ordain_ir::program::Program;
use ordain_ir::{CompileOptions, load};
use ordain_model::witness::MemoryModel;
use std::fs;
use std::path::{Path, PathBuf};

pub const MODELS: [MemoryModel; 3] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];

pub struct Compiled {
    pub program: Program,
    pub facts: Facts,
}

pub fn compile_file(path: &Path, cflags: &[&str]) -> Compiled {
    let cflags = cflags.iter().map(|flag| (*flag).to_owned()).collect();
    let options = CompileOptions { cflags, ..CompileOptions::default() };
    // The executable that reads bitcode is built with the crate ordain-ir.
    let loaded = load(&[path.to_owned()], &options).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let facts = Facts::new(&loaded.program);
    Compiled { program: loaded.program, facts }
}

pub fn compile(text: &str) -> Compiled {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("test.c");
    fs::write(&path, text).expect("can be written");
    compile_file(&path, &[])
}

/// The C files of one of the repository's test directories.
pub fn collection(name: &str) -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(name);
    let entries = fs::read_dir(&directory).unwrap_or_else(|e| panic!("{}: {e}", directory.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "c"));
    files.sort();
    files
}

/// What stands after `// key:` in the first lines of a file, for each time it does.
pub fn headers<'a>(text: &'a str, key: &str) -> Vec<&'a str> {
    let lines = text.lines().take_while(|line| line.starts_with("//"));
    lines.filter_map(|line| line.strip_prefix("// ")?.strip_prefix(key)?.strip_prefix(": ")).map(str::trim).collect()
}
