//! The micro-benchmark of Yi and Huang (Concurrency Verification with Maximal Path Causality, ESEC/FSE 2018, Table 1),
//! with what they published beside what comes out here: runs and seconds to a complete answer. They enumerate path classes,
//! as `--paths` does; without it, the number of runs is a sum over threads, not a product.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Extra threads, path classes, and the published time of their complete strategy.
const PUBLISHED: [(u32, u64, &str); 6] = [
    (0, 10, "0.79 s"),
    (1, 16, "1.55 s"),
    (3, 52, "5.43 s"),
    (5, 196, "38.11 s"),
    (7, 772, "830 s"),
    (9, 3076, "> 3600 s"),
];
/// Beyond this, enumerating path classes takes longer than a benchmark should.
const MOST_THREADS_WITH_PATHS: u32 = 7;

fn main() {
    println!("{:>4} | {:>9} {:>11} | {:>6} {:>9} | {:>7} {:>9}", "M_k", "published", "", "runs", "", "--paths", "");
    println!("{:>4} | {:>9} {:>11} | {:>6} {:>9} | {:>7} {:>9}", "", "paths", "time", "", "time", "paths", "time");
    for (threads, paths, time) in PUBLISHED {
        let all = explore(threads, &[]);
        let runs = all["runs"].as_u64().unwrap_or(0);
        print!("{threads:>4} | {paths:>9} {time:>11} | {runs:>6} {:>7.2} s |", seconds(&all));
        if threads <= MOST_THREADS_WITH_PATHS {
            let classes = explore(threads, &["--paths"]);
            print!(" {:>7} {:>7.2} s", classes["paths"].as_u64().unwrap_or(0), seconds(&classes));
        }
        println!();
    }
}

fn seconds(report: &Value) -> f64 {
    report["seconds"].as_f64().unwrap_or(f64::NAN)
}

fn explore(threads: u32, options: &[&str]) -> Value {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/micro.c");
    let witnesses = tempfile::tempdir().expect("a temporary directory");
    let output = Command::new(env!("CARGO_BIN_EXE_ordain"))
        .args(["explore", "--json", "--quiet", "--check", "assertion", "-o"])
        .arg(witnesses.path())
        .arg(program)
        .args(["--cflags", &format!("-DK={threads}")])
        .args(options)
        .output()
        .expect("ordain starts");
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("no report for K={threads}: {}", String::from_utf8_lossy(&output.stderr)));
    assert_eq!(report["verdict"], "bug", "{report}");
    report
}
