//! `ordain`: the command line. One file per subcommand under `command`; what they share is beside it.

mod cli;
mod command;
mod error;
mod guard;
mod output;
mod playback;
mod present;
mod subject;
mod witness_file;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    match guard::catch_panics(|| command::dispatch(cli.command)) {
        Ok(outcome) => outcome.exit_code(),
        Err(error) => {
            output::complain(&error.to_string());
            error.exit_code()
        }
    }
}
