//! Prints the register code of a program: `cargo run --release -p ordain-ir --example list FILE...`

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    match ordain_ir::load(&paths, &ordain_ir::CompileOptions::default()) {
        Ok(loaded) => {
            print!("{}", ordain_ir::print::Listing(&loaded.program));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
