//! From recordings that failed to schedules: `make bench-reproduce`.
//!
//! First the programs of CLAP's Table 1, in both modes of logging that do without values: each is recorded until it fails as it
//! should, reproduced, and its witness replayed natively again and again. Then real programs with a bug in them (`real`), and how time
//! and memory grow with the length of the run (`scale`). Names on the command line are the only ones to be tried.

#[path = "../real/data.rs"]
mod data;
mod programs;
mod real;
#[path = "../real/recipe.rs"]
#[allow(dead_code, reason = "nothing is decompressed, and programs are built elsewhere")]
mod recipe;
mod scale;

use programs::{PROGRAMS, Program};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

type Failure = Box<dyn std::error::Error>;

const ORDAIN: &str = env!("CARGO_BIN_EXE_ordain");
const MOST_ATTEMPTS: &str = "500";
const MOST_SECONDS: &str = "60";
/// So often a witness is replayed natively.
const REPLAYS: u32 = 100;

fn main() -> ExitCode {
    // Cargo adds options of its own.
    let names: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    match run_all(&names) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

/// Whether everything came out as it should.
fn run_all(names: &[String]) -> Result<bool, Failure> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let wanted = |name: &str| names.is_empty() || names.iter().any(|n| n == name);
    let mut well = true;
    println!(
        "{:<22} | {:>8} {:>9} {:>8} {:>8} | {:>8} {:>8} {:>11} {:>8} {:>9} {:>8}",
        "CLAP, then ours",
        "accesses",
        "solving s",
        "switches",
        "log",
        "points",
        "s",
        "preemptions",
        "switches",
        "log",
        "replayed"
    );
    for program in PROGRAMS.iter().filter(|p| wanted(p.name)) {
        for memory in program.memory {
            for level in ["paths", "addresses"] {
                well &= row(&root, program, memory, level)?;
            }
        }
    }
    if wanted("real") {
        well &= real::measure(&root)?;
    }
    if wanted("scale") {
        scale::measure(&root)?;
    }
    Ok(well)
}

/// Records, reproduces and replays a program; prints a row, and says whether it is as good as the published one.
fn row(root: &Path, program: &Program, memory: &str, level: &str) -> Result<bool, Failure> {
    let home = tempfile::tempdir()?;
    let log = record(&root.join("bench/recorded").join(format!("{}.c", program.name)), home.path(), |command| {
        command.args(["--log", level, "--memory", memory]);
    })?;
    let reproduced = Reproduced::new(&log, home.path(), &[])?;
    let published = program.published;
    let name = match memory {
        "sc" => format!("{} {level}", program.name),
        _ => format!("{} {level} {memory}", program.name),
    };
    print!(
        "{name:<22} | {:>8} {:>9} {:>8} {:>8} | ",
        published.accesses, published.solving, published.switches, published.log
    );
    let Some(witness) = &reproduced.witness else {
        println!("not reproduced in {:.1} s", reproduced.seconds);
        return Ok(false);
    };
    let replayed = (0..REPLAYS).map(|_| replay(witness, FAILS)).filter(|replayed| *replayed).count();
    println!(
        "{:>8} {:>8.1} {:>11} {:>8} {:>9} {:>8}",
        reproduced.number("points"),
        reproduced.seconds,
        reproduced.preemptions(),
        reproduced.number("switches"),
        size_of(&log)?,
        format!("{replayed}/{REPLAYS}"),
    );
    Ok(replayed as u32 == REPLAYS && reproduced.number("preemptions") <= program.most_preemptions)
}

/// Records a program until it fails; where its log is.
fn record(file: &Path, home: &Path, options: impl Fn(&mut Command)) -> Result<PathBuf, Failure> {
    let log = home.join("log");
    let mut command = Command::new(ORDAIN);
    command.arg("record").arg(file).arg("-o").arg(&log).args(["--attempts", MOST_ATTEMPTS]);
    options(&mut command);
    let output = command.stdin(Stdio::null()).output()?;
    match output.status.code() {
        Some(1) => Ok(log),
        _ => Err(format!("{} did not fail: {}", file.display(), String::from_utf8_lossy(&output.stderr)).into()),
    }
}

/// What `ordain reproduce` has said.
struct Reproduced {
    report: Value,
    seconds: f64,
    witness: Option<PathBuf>,
}

impl Reproduced {
    fn new(log: &Path, home: &Path, options: &[&str]) -> Result<Reproduced, Failure> {
        let mut command = Command::new(ORDAIN);
        command.args(["reproduce", "--json", "--time", MOST_SECONDS, "-o"]).arg(home).arg(log).args(options);
        let output = command.stdin(Stdio::null()).output()?;
        let report: Value = serde_json::from_slice(&output.stdout)
            .map_err(|e| format!("{e}: {}", String::from_utf8_lossy(&output.stderr)))?;
        let seconds = report["seconds"].as_f64().ok_or("no time in the report")?;
        let witness = report["bugs"][0]["witness"].as_str().map(|witness| home.join(witness));
        Ok(Reproduced { report, seconds, witness })
    }

    /// One number if it is proved to be the fewest, else how few there are at least and were found.
    fn preemptions(&self) -> String {
        let (found, least) = (self.number("preemptions"), self.number("preemptions_at_least"));
        if found == least { format!("{found}") } else { format!("{least} to {found}") }
    }

    fn number(&self, name: &str) -> u64 {
        self.report["stats"][name].as_u64().unwrap_or_default()
    }
}

/// How `replay` ends if the witness fails as it claims, and if it ends well as it claims.
const FAILS: i32 = 1;
const ENDS_WELL: i32 = 0;

/// Whether the witness ends natively as it claims: with this exit code of `replay`.
fn replay(witness: &Path, code: i32) -> bool {
    let mut command = Command::new(ORDAIN);
    command.args(["replay", "--native", "-q"]).arg(witness);
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.code() == Some(code))
}

/// The size of what threads have logged.
fn size_of(log: &Path) -> Result<String, Failure> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(log)? {
        let entry = entry?;
        let name = entry.file_name();
        if name != "executable" && name != "run.json" {
            bytes += entry.metadata()?.len();
        }
    }
    Ok(match bytes {
        0..10_000 => format!("{bytes} B"),
        10_000..10_000_000 => format!("{} KB", bytes / 1000),
        _ => format!("{} MB", bytes / 1_000_000),
    })
}
