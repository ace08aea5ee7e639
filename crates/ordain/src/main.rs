//! `ordain`: the command line. One file per subcommand under `command`; what they share is beside it.

mod bug_files;
mod cli;
mod command;
mod error;
mod guard;
mod interrupt;
mod journal_file;
mod output;
mod playback;
mod present;
mod recorded;
mod subject;
mod witness_file;

use clap::Parser;
use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let line: Vec<OsString> = std::env::args_os().collect();
    let result = match command::cc::as_compiler(&line) {
        Some((language, arguments)) => guard::catch_panics(|| command::cc::run(language, arguments)),
        None => {
            let cli = cli::Cli::parse_from(&line);
            guard::catch_panics(|| command::dispatch(cli.command))
        }
    };
    match result {
        Ok(outcome) => outcome.exit_code(),
        Err(error) => {
            output::complain(&error.to_string());
            error.exit_code()
        }
    }
}
