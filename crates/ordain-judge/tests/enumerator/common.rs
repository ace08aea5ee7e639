//! What the tests of the judges share.

use ordain_ir::CompileOptions;
use ordain_ir::program::Program;
use ordain_judge::generator::Profile;
use ordain_vm::{Machine, PendingKind, ThreadId};
use std::fs;

/// Inputs of generated programs have at most this many values that matter.
const INPUT_VALUES: u8 = 4;

/// Bitcode is read by another process: the executable of this crate offers that.
pub fn set_helper() {
    ordain_ir::child::set_helper(env!("CARGO_BIN_EXE_ordain-judge").into());
}

/// How many programs of each profile: `usual`, unless `ORDAIN_FUZZ_CASES` asks for more in all.
pub fn programs(usual: u64) -> u64 {
    set_helper();
    let asked = std::env::var("ORDAIN_FUZZ_CASES").ok().and_then(|n| n.parse::<u64>().ok());
    asked.map_or(usual, |n| n / Profile::ALL.len() as u64)
}

pub fn load(source: &str) -> Program {
    let directory = tempfile::tempdir().expect("there is a place for temporary files");
    let file = directory.path().join("program.c");
    fs::write(&file, source).expect("the program can be written");
    ordain_ir::load(&[file], &CompileOptions::default()).expect("generated programs compile").program
}

/// The machine after a step of `thread`; one for each value if the step reads an input.
pub fn after_step<'p>(machine: &Machine<'p>, thread: ThreadId) -> Vec<Machine<'p>> {
    let step = |input: Option<(u32, u8)>| {
        let mut next = machine.clone();
        if let Some((nth, value)) = input {
            next.set_input(machine.name(thread).clone(), nth, vec![value]);
        }
        next.step(thread);
        next
    };
    match machine.pending(thread).map(|p| p.kind) {
        Some(PendingKind::Input { nth, .. }) => (0..INPUT_VALUES).map(|value| step(Some((nth, value)))).collect(),
        _ => vec![step(None)],
    }
}
