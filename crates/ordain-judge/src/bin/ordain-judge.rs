//! `ordain-judge`: generate programs and enumerate what they can do, from the command line.

use ordain_judge::generator::{Profile, generate};
use std::process::ExitCode;

const USAGE: &str = "usage: ordain-judge generate SEED [PROFILE]";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

fn run(args: &[&str]) -> Result<(), String> {
    match args {
        ["generate", seed] => print_program(seed, Profile::Mixed),
        ["generate", seed, profile] => print_program(seed, profile.parse()?),
        _ => Err(USAGE.into()),
    }
}

fn print_program(seed: &str, profile: Profile) -> Result<(), String> {
    let seed = seed.parse().map_err(|_| format!("'{seed}' is not a seed (expected a number)"))?;
    print!("{}", generate(seed, profile).to_c());
    Ok(())
}
