//! `ordain predict` on a case, as its header asks for.

use super::Case;
use super::exploring::{Found, found_bugs, words};
use libtest_mimic::Failed;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

pub struct Predicted {
    pub exit_code: Option<i32>,
    pub report: Value,
    pub bugs: Vec<Found>,
}

pub fn predict(case: &Case, seconds: u32, witnesses: &Path) -> Result<Predicted, Failed> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ordain"));
    command.args(["predict", "--json", "--time"]).arg(seconds.to_string());
    command.arg("-o").arg(witnesses).arg(&case.file);
    for (option, value) in [("--check", &case.only), ("--cflags", &case.cflags)] {
        command.args(value.iter().flat_map(|value| [option, value]));
    }
    if case.marked {
        command.args(["--regions", "marked"]);
    }
    if case.no_spurious {
        command.arg("--no-spurious");
    }
    if let Some(args) = &case.args {
        command.arg("--").args(args.split_whitespace());
    }
    let output = command.output()?;
    let report: Value =
        serde_json::from_slice(&output.stdout).map_err(|error| format!("no report ({error}): {}", words(&output)))?;
    let bugs = found_bugs(&report)?;
    Ok(Predicted { exit_code: output.status.code(), report, bugs })
}
