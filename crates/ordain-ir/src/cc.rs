//! `ordain cc`: clang, with bitcode kept.
//!
//! Objects are ordinary ELF files that carry bitcode beside machine code, so build systems and archives see nothing new.
//! When an executable is linked, the linker hands out the bitcode of the whole program (it knows which members of which
//! archives are in it), which is made canonical and put into a section of the executable (see `embed`).

use crate::child::{self, Source};
use crate::compile::{CLANG, is_source};
use crate::embed;
use crate::error::LoadError;
use crate::header::HeaderDirectory;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use tempfile::TempDir;

const OBJCOPY: &str = "llvm-objcopy-22";

/// What a call of the compiler is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    Compile,
    Link,
    /// Anything that leaves neither an object nor an executable: preprocessing, assembly, questions.
    Other,
}

/// What became of a call of the compiler.
#[derive(Debug)]
pub struct Outcome {
    /// Clang's own. Its messages went where they always go.
    pub status: ExitStatus,
    /// Why an executable was linked that carries no bitcode. It works all the same: build systems link small programs to
    /// find out about the machine, and not all of those are ones to analyse.
    pub no_bitcode: Option<LoadError>,
}

impl From<ExitStatus> for Outcome {
    fn from(status: ExitStatus) -> Self {
        Outcome { status, no_bitcode: None }
    }
}

/// Runs clang with these arguments and keeps bitcode in what it makes.
pub fn cc(arguments: &[OsString]) -> Result<Outcome, LoadError> {
    let header = HeaderDirectory::new().map_err(LoadError::Temporary)?;
    let mut clang = Command::new(CLANG);
    match step(arguments) {
        Step::Other => Ok(run(clang.args(header.flags()).args(arguments))?.into()),
        Step::Compile => Ok(run(clang.args(header.flags()).args(compile_flags()).args(arguments))?.into()),
        Step::Link => link(clang.args(header.flags()).args(compile_flags()), arguments),
    }
}

fn run(clang: &mut Command) -> Result<ExitStatus, LoadError> {
    clang.status().map_err(|source| LoadError::ToolMissing { tool: CLANG.into(), source })
}

fn step(arguments: &[OsString]) -> Step {
    let has = |flags: &[&str]| arguments.iter().any(|a| flags.iter().any(|flag| a == flag));
    let inputs = arguments.iter().any(|a| !a.as_encoded_bytes().starts_with(b"-"));
    if !inputs || has(&["-E", "-S", "-M", "-MM", "-fsyntax-only", "-###", "--version", "-emit-llvm"]) {
        Step::Other
    } else if has(&["-c"]) {
        Step::Compile
    } else if has(&["-shared", "-r"]) {
        // Neither is a whole program; their objects carry the bitcode.
        Step::Compile
    } else {
        Step::Link
    }
}

/// Code that is not optimised stays open to our own passes.
fn compile_flags() -> [&'static str; 5] {
    ["-g", "-flto=full", "-ffat-lto-objects", "-Xclang", "-disable-O0-optnone"]
}

fn link(clang: &mut Command, arguments: &[OsString]) -> Result<Outcome, LoadError> {
    let (rest, output) = take_output(arguments);
    // Beside the output, so that it can be renamed into place.
    let beside = match output.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let directory = tempfile::Builder::new()
        .prefix(".ordain-cc-")
        .tempdir_in(beside)
        .map_err(|source| LoadError::Unreadable { path: beside.to_owned(), source })?;
    let executable = directory.path().join("program");
    if rest.iter().any(|a| is_cplusplus(Path::new(a))) {
        clang.arg("--driver-mode=g++");
    }
    clang.args(rest).args(["-fuse-ld=lld", "-Wl,--fat-lto-objects", "-Wl,--save-temps", "-o"]).arg(&executable);
    let status = run(clang)?;
    if !status.success() {
        return Ok(status.into());
    }
    let no_bitcode = embed_bitcode(&directory, &executable, &output).err();
    fs::rename(&executable, &output).map_err(|source| LoadError::Unreadable { path: output, source })?;
    Ok(Outcome { status, no_bitcode })
}

fn is_cplusplus(path: &Path) -> bool {
    is_source(path) && !matches!(path.extension().and_then(OsStr::to_str), Some("c" | "i"))
}

/// The arguments without the output, and the output.
fn take_output(arguments: &[OsString]) -> (Vec<OsString>, PathBuf) {
    let mut output = PathBuf::from("a.out");
    let mut rest = Vec::new();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let text = argument.to_string_lossy();
        match text.strip_prefix("-o") {
            Some("") => output = arguments.next().map(PathBuf::from).unwrap_or(output),
            Some(name) => output = PathBuf::from(name),
            None => rest.push(argument.clone()),
        }
    }
    (rest, output)
}

/// Puts the canonical bitcode of the program that was just linked into its executable.
fn embed_bitcode(directory: &TempDir, executable: &Path, output: &Path) -> Result<(), LoadError> {
    let whole = directory.path().join("program.0.0.preopt.bc");
    if !whole.exists() {
        let reason = "nothing in it was compiled by `ordain cc`".into();
        return Err(LoadError::BadExecutable { path: output.to_owned(), reason });
    }
    let bytes = fs::read(&whole).map_err(LoadError::Temporary)?;
    let label = output.display().to_string();
    let loaded = child::read(Source::Modules(vec![(label, bytes)]), &[])?;
    let section = directory.path().join("section");
    fs::write(&section, embed::wrap(&loaded.bitcode)).map_err(LoadError::Temporary)?;
    let mut flag = OsString::from(format!("{}=", embed::SECTION));
    flag.push(&section);
    let status = Command::new(OBJCOPY)
        .arg("--add-section")
        .arg(flag)
        .arg(executable)
        .status()
        .map_err(|source| LoadError::ToolMissing { tool: OBJCOPY.into(), source })?;
    if !status.success() {
        return Err(LoadError::Internal(format!("{OBJCOPY} cannot add the bitcode to {}", output.display())));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn steps_are_told_apart() {
        assert_eq!(step(&words("-O2 -c a.c -o a.o")), Step::Compile);
        assert_eq!(step(&words("a.o b.o -lpthread")), Step::Link);
        assert_eq!(step(&words("-E a.c")), Step::Other);
        assert_eq!(step(&words("--version")), Step::Other);
        assert_eq!(step(&words("-shared a.o -o liba.so")), Step::Compile);
    }

    #[test]
    fn the_output_is_taken_out_in_both_spellings() {
        assert_eq!(take_output(&words("a.c -o x -g")), (words("a.c -g"), "x".into()));
        assert_eq!(take_output(&words("a.c -ox")), (words("a.c"), "x".into()));
        assert_eq!(take_output(&words("a.c")), (words("a.c"), "a.out".into()));
    }
}
