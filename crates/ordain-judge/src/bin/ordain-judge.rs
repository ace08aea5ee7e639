//! `ordain-judge`: generate programs and enumerate what they can do, from the command line.

use ordain_judge::enumerate::Limits;
use ordain_judge::generator::{Profile, generate, generate_race_free};
use ordain_judge::judge::judge_file;
use ordain_judge::stats::stats;
use ordain_model::witness::MemoryModel;
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "\
usage: ordain-judge generate SEED [PROFILE|race-free]
       ordain-judge brute FILE [--memory sc|tso|pso]
       ordain-judge stats N [--memory sc|tso|pso]";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    if args == [ordain_ir::child::SUBCOMMAND] {
        return ordain_ir::child::main();
    }
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
        ["generate", seed, "race-free"] => {
            print!("{}", generate_race_free(number(seed)?).to_c());
            Ok(())
        }
        ["generate", seed, profile] => print_program(seed, profile.parse()?),
        ["brute", file, memory @ ..] => print_verdict(Path::new(file), memory_model(memory)?),
        ["stats", seeds, memory @ ..] => print_stats(number(seeds)?, memory_model(memory)?),
        _ => Err(USAGE.into()),
    }
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("'{text}' is not a number"))
}

fn memory_model(args: &[&str]) -> Result<MemoryModel, String> {
    match args {
        [] | ["--memory", "sc"] => Ok(MemoryModel::Sc),
        ["--memory", "tso"] => Ok(MemoryModel::Tso),
        ["--memory", "pso"] => Ok(MemoryModel::Pso),
        _ => Err(USAGE.into()),
    }
}

fn print_program(seed: &str, profile: Profile) -> Result<(), String> {
    print!("{}", generate(number(seed)?, profile).to_c());
    Ok(())
}

fn print_verdict(file: &Path, memory: MemoryModel) -> Result<(), String> {
    let verdict = judge_file(file, memory, Limits::default()).map_err(|e| e.to_string())?;
    print!("{verdict}");
    Ok(())
}

fn print_stats(seeds: u64, memory: MemoryModel) -> Result<(), String> {
    for profile in Profile::ALL {
        let stats = stats(profile, seeds, memory, Limits::default()).map_err(|e| e.to_string())?;
        println!("{profile}: {stats}");
    }
    Ok(())
}
