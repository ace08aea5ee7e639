//! The subcommands, one file each.

pub mod cc;
pub mod explore;
pub mod follow;
pub mod predict;
pub mod record;
pub mod replay;
pub mod reproduce;
pub mod run;

use crate::cli::Command;
use crate::error::{CommandError, Outcome};
use crate::output::say;
use ordain_ir::cc::Language;
use ordain_report::json::Report;
use std::time::Instant;

pub fn dispatch(command: Command) -> Result<Outcome, CommandError> {
    match command {
        Command::Cc(options) => cc::run(Language::C, &options.arguments),
        Command::Cplusplus(options) => cc::run(Language::Cplusplus, &options.arguments),
        Command::Run(options) => answer("run", options.common.json, || run::run(&options)),
        Command::Explore(options) => answer("explore", options.common.json, || explore::run(&options)),
        Command::Record(options) => answer("record", options.common.json, || record::run(&options)),
        Command::Follow(options) => answer("follow", options.common.json, || follow::run(&options)),
        Command::Reproduce(options) => answer("reproduce", options.common.json, || reproduce::run(&options)),
        Command::Predict(options) => answer("predict", options.common.json, || predict::run(&options)),
        Command::Replay(options) => answer("replay", options.common.json, || replay::run(&options)),
        Command::ReadBitcode => Ok(Outcome::Passed(ordain_ir::child::main())),
        Command::Instrument => Ok(Outcome::Passed(ordain_instrument::child::main())),
    }
}

/// With `--json`, meeting something unsupported is an answer like any other.
fn answer(
    name: &'static str,
    json: bool,
    command: impl FnOnce() -> Result<Outcome, CommandError>,
) -> Result<Outcome, CommandError> {
    let start = Instant::now();
    match command() {
        Err(CommandError::Unsupported(reason)) if json => {
            say(&Report::unknown(name, reason, start.elapsed().as_secs_f64()).to_line());
            Ok(Outcome::Unfinished)
        }
        result => result,
    }
}
