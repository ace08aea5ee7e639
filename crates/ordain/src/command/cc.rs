//! `ordain cc`: clang, with the program's bitcode kept in the executable.

use crate::error::{CommandError, Outcome};
use crate::output::complain;
use crate::subject;
use clap::Args;
use std::ffi::OsString;
use std::process::ExitCode;

/// clang, with bitcode kept: CC="ordain cc" ./configure && make
#[derive(Args, Debug)]
#[command(disable_help_flag = true)]
pub struct Options {
    /// Arguments of clang
    #[arg(value_name = "CLANG ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

pub fn run(options: &Options) -> Result<Outcome, CommandError> {
    let outcome = ordain_ir::cc::cc(&options.arguments).map_err(subject::refused)?;
    if let Some(reason) = outcome.no_bitcode {
        complain(&format!("warning: the executable carries no bitcode, so ordain cannot analyse it: {reason}"));
    }
    // A compiler that was killed has no code of its own.
    let code = outcome.status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
    Ok(Outcome::Passed(ExitCode::from(code)))
}
