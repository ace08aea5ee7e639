//! From the text of a program to a verdict.

use crate::enumerate::{Limits, enumerate};
use crate::findings::Verdict;
use ordain_ir::CompileOptions;
use ordain_ir::facts::Facts;
use ordain_model::witness::MemoryModel;
use std::fs;
use std::io;
use std::path::Path;

#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    #[error("the program cannot be written to a temporary file: {0}")]
    Write(#[from] io::Error),
    #[error(transparent)]
    Load(#[from] ordain_ir::LoadError),
}

/// Everything that can happen in a program, given as C.
pub fn judge(source: &str, memory: MemoryModel, limits: Limits) -> Result<Verdict, JudgeError> {
    let directory = tempfile::tempdir()?;
    let file = directory.path().join("program.c");
    fs::write(&file, source)?;
    judge_file(&file, memory, limits)
}

/// Everything that can happen in the program of a C file.
pub fn judge_file(file: &Path, memory: MemoryModel, limits: Limits) -> Result<Verdict, JudgeError> {
    let loaded = ordain_ir::load(&[file.to_owned()], &CompileOptions::default())?;
    let facts = Facts::new(&loaded.program);
    Ok(enumerate(&loaded.program, &facts, memory, limits))
}
