//! The pool's sources, and `ordain explore` on them.

use crate::client::Client;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

type Failure = Box<dyn std::error::Error>;

/// What the pool needs besides itself.
const OTHERS: [&str; 3] = ["threading.c", "zstd_common.c", "error_private.c"];

/// What of an exploration is no part of the program.
pub struct Effort {
    pub seconds: u64,
    pub first: bool,
    /// Where runs are written down, to go on from.
    pub journal: Option<PathBuf>,
}

pub struct Pool {
    harness: PathBuf,
    library: PathBuf,
    pub source: PathBuf,
    /// For what is made here.
    pub place: PathBuf,
}

impl Pool {
    /// Fetches the sources, unless that has been done.
    pub fn fetch(root: &Path) -> Result<Pool, Failure> {
        let directory = root.join("target/real");
        let status = Command::new(root.join("tests/real/fetch")).arg(&directory).arg("libzstd").status()?;
        if !status.success() {
            return Err(format!("the sources of zstd could not be fetched: {status}").into());
        }
        let library = directory.join("sources/libzstd/lib");
        let source = library.join("common/pool.c");
        let place = directory.join("pool");
        std::fs::create_dir_all(&place)?;
        Ok(Pool { harness: root.join("tests/real/pool/harness.c"), library, source, place })
    }

    /// Explores a client of the pool in `source`, which may have a bug in it.
    pub fn explore(&self, source: &Path, client: &Client, effort: &Effort) -> Result<Explored, Failure> {
        let common = self.library.join("common");
        let witnesses = source.parent().filter(|_| source != self.source).unwrap_or(&self.place);
        let include = |path: &Path| format!("-I{}", path.display());
        let mut command = ordain();
        command.args(["explore", "--json", "--native"]).arg(&self.harness).arg(source);
        command.args(OTHERS.map(|file| common.join(file))).arg("-o").arg(witnesses);
        for flags in ["-DZSTD_MULTITHREAD", &include(&common), &include(&self.library), &client.flags()] {
            command.arg("--cflags").arg(flags);
        }
        command.arg("--time").arg(effort.seconds.to_string());
        if effort.first {
            command.arg("--first");
        }
        if let Some(journal) = &effort.journal {
            command.arg("--resume").arg(journal);
        }
        let output = command.output()?;
        let report = serde_json::from_slice(&output.stdout)
            .map_err(|_| format!("{}: no report: {}", client.name, String::from_utf8_lossy(&output.stderr)))?;
        Ok(Explored { report, source: source.to_owned() })
    }
}

fn ordain() -> Command {
    Command::new(env!("CARGO_BIN_EXE_ordain"))
}

/// What `ordain explore` reported.
pub struct Explored {
    pub report: Value,
    source: PathBuf,
}

impl Explored {
    pub fn verdict(&self) -> &str {
        self.report["verdict"].as_str().unwrap_or_default()
    }

    pub fn number(&self, key: &str) -> u64 {
        self.report[key].as_u64().unwrap_or_default()
    }

    pub fn seconds(&self) -> f64 {
        self.report["seconds"].as_f64().unwrap_or_default()
    }

    pub fn list(&self, key: &str) -> &[Value] {
        self.report[key].as_array().map_or(&[], Vec::as_slice)
    }

    /// How many lines of the pool have code, and which of them no run has executed.
    pub fn missed(&self) -> (u64, BTreeSet<u64>) {
        let files = self.report["coverage"]["files"].as_array().map_or(&[][..], Vec::as_slice);
        let pool = files.iter().find(|file| file["file"].as_str().map(Path::new) == Some(&self.source));
        let Some(pool) = pool else { return (0, BTreeSet::new()) };
        let missed = pool["missed"].as_array().into_iter().flatten().filter_map(Value::as_u64);
        (pool["lines"].as_u64().unwrap_or_default(), missed.collect())
    }
}

/// Where a bug is, as short as it can be said.
pub fn describe(found: &Value) -> String {
    let file = found["file"].as_str().map(Path::new).and_then(Path::file_name).unwrap_or_default();
    let kind = found["kind"].as_str().unwrap_or_default();
    match found["line"].as_u64() {
        Some(line) => format!("{kind} at {}:{line}", file.to_string_lossy()),
        None => kind.to_owned(),
    }
}

/// Where a witness fails again as it claims: in the machine, and as a native process.
pub fn replays(bug: &Value) -> Result<Vec<&'static str>, Failure> {
    let witness = bug["witness"].as_str().ok_or("a bug without a witness")?;
    let mut ways = Vec::new();
    for (how, words) in [("--vm", "machine"), ("--native", "natively")] {
        let status = ordain().args(["replay", "--json", how, witness]).output()?.status;
        ways.extend((status.code() == Some(1)).then_some(words));
    }
    Ok(ways)
}
