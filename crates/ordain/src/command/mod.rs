//! The subcommands, one file each.

pub mod cc;
pub mod replay;
pub mod run;

use crate::cli::Command;
use crate::error::{CommandError, Outcome};

pub fn dispatch(command: Command) -> Result<Outcome, CommandError> {
    match command {
        Command::Cc(options) => cc::run(&options),
        Command::Run(options) => run::run(&options),
        Command::Replay(options) => replay::run(&options),
        Command::ReadBitcode => Ok(Outcome::Passed(ordain_ir::child::main())),
        Command::Instrument => Ok(Outcome::Passed(ordain_instrument::child::main())),
    }
}
