//! `ordain cc` and `ordain c++`: clang, with the program's bitcode kept in the executable.
//!
//! Their arguments are clang's, all of them, so they are not for the command line's parser to look at.

use crate::error::{CommandError, Outcome};
use crate::subject;
use clap::Args;
use ordain_ir::cc::Language;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitCode;

/// clang, with bitcode kept: CC="ordain cc" ./configure && make
#[derive(Args, Debug)]
#[command(disable_help_flag = true)]
pub struct Options {
    /// Arguments of clang
    #[arg(value_name = "CLANG ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    pub arguments: Vec<OsString>,
}

/// The language and clang's arguments, if the command line is a compiler's: `ordain cc …`, or (for build systems that want
/// a compiler to be one word) any name for the executable that ends in `ordain-cc` or `ordain-c++`.
pub fn as_compiler(line: &[OsString]) -> Option<(Language, &[OsString])> {
    let (own, arguments) = line.split_first()?;
    match Path::new(own).file_name().and_then(OsStr::to_str) {
        Some(name) if name.ends_with("ordain-cc") => return Some((Language::C, arguments)),
        Some(name) if name.ends_with("ordain-c++") => return Some((Language::Cplusplus, arguments)),
        _ => {}
    }
    let (command, arguments) = arguments.split_first()?;
    match command.to_str() {
        Some("cc") => Some((Language::C, arguments)),
        Some("c++") => Some((Language::Cplusplus, arguments)),
        _ => None,
    }
}

pub fn run(language: Language, arguments: &[OsString]) -> Result<Outcome, CommandError> {
    let status = ordain_ir::cc::cc(language, arguments).map_err(subject::refused)?;
    // A compiler that was killed has no code of its own; shells give it one.
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    Ok(Outcome::Passed(ExitCode::from(u8::try_from(code).unwrap_or(1))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilers_are_known_by_both_spellings() {
        let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        let understood = |text: &str| as_compiler(&words(text)).map(|(language, rest)| (language, rest.len()));
        assert_eq!(understood("ordain cc --version"), Some((Language::C, 1)));
        assert_eq!(understood("bin/ordain c++ -c -- a.cc"), Some((Language::Cplusplus, 3)));
        assert_eq!(understood("/opt/ordain-cc a.c"), Some((Language::C, 1)));
        assert_eq!(understood("ordain run cc"), None);
    }
}
