//! Which lines of the program's own files some run has executed, of those that have code at all.

use ordain_ir::program::{FuncId, Pc, Program};
use ordain_vm::Watch;
use std::collections::BTreeMap;

/// Headers of the system are not the program's own.
const SYSTEM: &str = "/usr/";

/// The lines of one file that have code, in ascending order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileCoverage {
    pub file: String,
    pub covered: Vec<u32>,
    pub missed: Vec<u32>,
}

pub(crate) fn coverage(program: &Program, watch: &Watch) -> Vec<FileCoverage> {
    let mut lines: BTreeMap<(&str, u32), bool> = BTreeMap::new();
    for (f, function) in program.functions.iter().enumerate().filter(|(_, f)| !f.model) {
        let f = FuncId(f as u32);
        for pc in (0..function.code.len() as u32).map(Pc) {
            let location = program.location(f, pc);
            let file = program.files[location.file as usize].as_str();
            if location.line > 0 && !file.starts_with(SYSTEM) {
                *lines.entry((file, location.line)).or_default() |= watch.has_covered(f, pc);
            }
        }
    }
    let mut files: Vec<FileCoverage> = Vec::new();
    for ((name, line), covered) in lines {
        if files.last().is_none_or(|f| f.file != name) {
            files.push(FileCoverage { file: name.to_owned(), covered: Vec::new(), missed: Vec::new() });
        }
        let Some(file) = files.last_mut() else { continue };
        if covered { file.covered.push(line) } else { file.missed.push(line) }
    }
    files
}
