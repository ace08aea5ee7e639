//! `ordain explore` and `ordain replay` on a case, as its header asks for.

use super::{Case, Claim};
use libtest_mimic::Failed;
use ordain_model::witness::Witness;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// How far an exploration goes.
pub struct Effort {
    pub seconds: u32,
    /// Random runs after `safe`.
    pub audit: Option<u32>,
    /// Counts path classes, also where the case does not say how many to expect.
    pub paths: bool,
}

pub struct Explored {
    pub output: Output,
    pub report: Value,
    pub bugs: Vec<Found>,
}

pub struct Found {
    pub claim: Claim,
    pub witness: PathBuf,
}

pub fn explore(case: &Case, effort: &Effort, witnesses: &Path) -> Result<Explored, Failed> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ordain"));
    command.args(["explore", "--json", "--quiet", "--time"]).arg(effort.seconds.to_string());
    command.arg("-o").arg(witnesses).arg(&case.file);
    let options =
        [("--memory", &case.memory), ("--check", &case.check), ("--cflags", &case.cflags), ("--unroll", &case.unroll)];
    for (option, value) in options {
        if let Some(value) = value {
            command.args([option, value]);
        }
    }
    if effort.paths || case.paths.is_some() {
        command.arg("--paths");
    }
    if case.no_spurious {
        command.arg("--no-spurious");
    }
    if let Some(runs) = effort.audit {
        command.arg("--audit").arg(runs.to_string());
    }
    if let Some(args) = &case.args {
        command.arg("--").args(args.split_whitespace());
    }
    let output = command.output()?;
    let report: Value =
        serde_json::from_slice(&output.stdout).map_err(|error| format!("no report ({error}): {}", words(&output)))?;
    let bugs = found_bugs(&report)?;
    Ok(Explored { output, report, bugs })
}

pub fn found_bugs(report: &Value) -> Result<Vec<Found>, Failed> {
    let bugs = report["bugs"].as_array().ok_or("no list of bugs")?;
    bugs.iter()
        .map(|bug| {
            let path = PathBuf::from(bug["witness"].as_str().ok_or("a bug without a witness")?);
            let witness: Witness = serde_json::from_slice(&std::fs::read(&path)?)?;
            let failure = witness.claim.failure().ok_or("a bug that ends well")?;
            if bug["line"] != failure.place.line || bug["kind"] != failure.kind.to_string() {
                return Err(format!("the witness claims something else than the report: {bug}").into());
            }
            Ok(Found { claim: Claim::of(failure), witness: path })
        })
        .collect()
}

pub fn replay(bug: &Found) -> Result<(), Failed> {
    let native = ordain_instrument::cannot_show(bug.claim.kind).is_none();
    for way in ["--vm", "--native"].into_iter().take(if native { 2 } else { 1 }) {
        let output =
            Command::new(env!("CARGO_BIN_EXE_ordain")).args(["replay", way, "--quiet"]).arg(&bug.witness).output()?;
        if output.status.code() != Some(1) {
            return Err(format!("replay {way} of {:?}: {}", bug.claim, words(&output)).into());
        }
    }
    Ok(())
}

pub fn words(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("{}\n{}{}", output.status, text(&output.stdout), text(&output.stderr))
}
