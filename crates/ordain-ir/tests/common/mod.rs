//! Loading programs that stand in the tests themselves.
#![allow(dead_code, reason = "every test binary uses a part of this")]

use ordain_ir::program::{Builtin, Callee, Function, Inst, Program};
use ordain_ir::{CompileOptions, LoadError, Loaded, load};
use std::path::PathBuf;

/// A directory with files in it.
pub struct Files(pub tempfile::TempDir);

impl Files {
    pub fn new(files: &[(&str, &str)]) -> Files {
        let directory = tempfile::tempdir().expect("a temporary directory");
        for (name, text) in files {
            std::fs::write(directory.path().join(name), text).expect("can be written");
        }
        Files(directory)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn load(&self, names: &[&str]) -> Result<Loaded, LoadError> {
        let paths: Vec<PathBuf> = names.iter().map(|name| self.path(name)).collect();
        load(&paths, &CompileOptions::default())
    }
}

/// The program of one C file.
pub fn program(text: &str) -> Program {
    try_load(text).unwrap_or_else(|e| panic!("{e}")).program
}

pub fn try_load(text: &str) -> Result<Loaded, LoadError> {
    Files::new(&[("program.c", text)]).load(&["program.c"])
}

pub fn function<'a>(program: &'a Program, name: &str) -> &'a Function {
    program.functions.iter().find(|f| f.name == name).unwrap_or_else(|| panic!("there is a function {name}"))
}

pub fn points(function: &Function) -> usize {
    function.code.iter().filter(|inst| inst.is_point()).count()
}

pub fn builtins(function: &Function) -> Vec<Builtin> {
    function
        .code
        .iter()
        .filter_map(|inst| match inst {
            Inst::Call { callee: Callee::Builtin(builtin), .. } => Some(*builtin),
            _ => None,
        })
        .collect()
}

/// The names of what is called without being known.
pub fn unknown(program: &Program, function: &Function) -> Vec<String> {
    function
        .code
        .iter()
        .filter_map(|inst| match inst {
            Inst::Call { callee: Callee::Unknown(name), .. } => Some(program.names[name.index()].clone()),
            _ => None,
        })
        .collect()
}
