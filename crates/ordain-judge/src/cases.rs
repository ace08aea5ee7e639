//! What tests that judge random programs have in common: how many, and the programs themselves.

use crate::generator::syntax::Source;
use ordain_ir::program::Program;

/// A number from the environment.
pub fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

/// A generated program. One that does not compile is a fault of the generator's.
pub fn load(source: &Source) -> Program {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("program.c");
    std::fs::write(&file, source.to_c()).expect("a temporary file");
    let loaded = ordain_ir::load(&[file], &ordain_ir::CompileOptions::default());
    loaded.unwrap_or_else(|e| panic!("generated programs compile: {e}\n{}", source.to_c())).program
}
