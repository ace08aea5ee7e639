//! The tables of Yi and Huang (Concurrency Verification with Maximal Path Causality, ESEC/FSE 2018), with what they
//! published beside what comes out here: `make bench`.
//!
//! They enumerate path classes, as `--paths` does; without it, the number of runs is a sum over threads, not a product. Their
//! numbers are from a machine with four cores and 2.7 GHz, with an hour per program. The programs are our own versions of
//! theirs (except for the two that are printed in the paper), so paths compare in kind only. Words on the command line say
//! which tables to print: `table1`, `table2`, `table3`, `figure9`.

mod applications;
mod figure9;
mod libraries;
mod micro;
mod table;

#[path = "../../tests/support/mod.rs"]
mod support;

use std::process::ExitCode;
use table::{Table, Tally};

type MakeTables = fn() -> Vec<Table>;

fn main() -> ExitCode {
    // Cargo adds options of its own.
    let names: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let tables: [(&str, MakeTables); 4] = [
        ("table1", micro::tables),
        ("table2", libraries::tables),
        ("table3", applications::tables),
        ("figure9", figure9::tables),
    ];
    let mut tally = Tally::default();
    for (name, make) in tables {
        if names.is_empty() || names.iter().any(|wanted| wanted == name) {
            make().iter().for_each(|table| table.print(&mut tally));
        }
    }
    println!("{} rows, {} as expected, {} not finished, {} wrong", tally.rows, tally.right, tally.open, tally.wrong);
    if tally.wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
