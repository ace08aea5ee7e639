//! What is to be known of a compiler's arguments: what the call makes, and where it goes. Everything else is clang's.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// What a call of the compiler is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// Objects, and what is not a whole program: their bitcode counts when an executable is made of them.
    Compile,
    Link,
    /// Anything that leaves neither an object nor an executable: preprocessing, assembly, questions.
    Other,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Arguments {
    pub step: Step,
    pub output: PathBuf,
}

/// Options whose value is the next argument, whatever it looks like.
const WITH_VALUE: &str = "-x -I -D -U -L -l -B -F -T -u -z -e -A -G -MF -MT -MQ -MJ -include -imacros -isystem -idirafter -iquote \
    -iprefix -iwithprefix -iwithprefixbefore -isysroot -include-pch -Xlinker -Xclang -Xassembler -Xpreprocessor \
    -Xanalyzer -mllvm -target --target -arch --param --sysroot -rpath -wrapper -ivfsoverlay -dumpdir -aux-info \
    --config -specs -Tdata -Ttext -Tbss -working-directory -gcc-toolchain --gcc-toolchain -serialize-diagnostics \
    --serialize-diagnostics";

/// Options that end the work before there is an object.
const NO_OBJECT: &str = "-E -S -M -MM -fsyntax-only -### --version -emit-llvm -emit-ast --analyze --help -help -dumpmachine \
    -dumpversion -dumpfullversion -dumpspecs --precompile --preprocess --assemble -emit-pch \
    -emit-interface-stubs -P";

impl Arguments {
    pub fn new(arguments: &[OsString]) -> Arguments {
        let mut output = PathBuf::from("a.out");
        let (mut inputs, mut nothing, mut objects) = (false, false, false);
        let mut rest = expanded(arguments).into_iter();
        while let Some(argument) = rest.next() {
            let Some(text) = argument.to_str() else {
                inputs = true;
                continue;
            };
            match text {
                "-o" | "--output" => output = rest.next().map(PathBuf::from).unwrap_or(output),
                "-c" | "--compile" | "-shared" | "--shared" | "-r" => objects = true,
                "-" => inputs = true,
                "--" => inputs |= rest.by_ref().next().is_some(),
                _ if listed(WITH_VALUE, text) => {
                    // A library is something to link.
                    inputs |= text == "-l";
                    rest.next();
                }
                _ if listed(NO_OBJECT, text) || is_question(text) => nothing = true,
                _ if !text.starts_with('-') || text.starts_with("-l") || text.starts_with("-Wl,") => inputs = true,
                _ => {
                    if let Some(name) = text.strip_prefix("--output=").or_else(|| text.strip_prefix("-o")) {
                        output = name.into();
                    }
                }
            }
        }
        let step = match (inputs && !nothing, objects) {
            (false, _) => Step::Other,
            (true, true) => Step::Compile,
            (true, false) => Step::Link,
        };
        Arguments { step, output }
    }
}

fn listed(list: &str, option: &str) -> bool {
    list.split_whitespace().any(|word| word == option)
}

fn is_question(text: &str) -> bool {
    text.starts_with("-print-") || text.starts_with("--print-") || text.starts_with("--help-")
}

/// The arguments with response files (`@file`) replaced by what is in them, as clang does. A file that cannot be read
/// stays an argument.
fn expanded(arguments: &[OsString]) -> Vec<OsString> {
    let mut whole = Vec::new();
    for argument in arguments {
        expand(argument, 0, &mut whole);
    }
    whole
}

/// Response files may name others; deeper than this they go round in circles.
const MOST_NESTED: usize = 16;

fn expand(argument: &OsStr, depth: usize, whole: &mut Vec<OsString>) {
    let file = argument.as_bytes().strip_prefix(b"@").filter(|_| depth < MOST_NESTED);
    match file.and_then(|name| fs::read(OsStr::from_bytes(name)).ok()) {
        Some(contents) => split(&contents).iter().for_each(|inner| expand(inner, depth + 1, whole)),
        None => whole.push(argument.to_owned()),
    }
}

/// Words separated by blanks, with quotes and backslashes as in a shell without variables.
fn split(text: &[u8]) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match (byte, quote) {
            (b'\\', _) if quote != Some(b'\'') => word.get_or_insert_default().extend(bytes.next()),
            (b'\'' | b'"', None) => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            (_, Some(open)) if open == byte => quote = None,
            (b' ' | b'\t' | b'\n' | b'\r', None) => words.extend(word.take().map(OsString::from_vec)),
            _ => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word.map(OsString::from_vec));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn understood(text: &str) -> (Step, String) {
        let words: Vec<OsString> = text.split(' ').map(OsString::from).collect();
        let Arguments { step, output } = Arguments::new(&words);
        (step, output.display().to_string())
    }

    fn step(text: &str) -> Step {
        understood(text).0
    }

    #[test]
    fn steps_are_told_apart() {
        assert_eq!(step("-O2 -c a.c -o a.o"), Step::Compile);
        assert_eq!(step("-shared a.o -o liba.so"), Step::Compile);
        assert_eq!(step("a.o b.o -lpthread"), Step::Link);
        assert_eq!(step("-x c -"), Step::Link);
        assert_eq!(step("-x c - -c"), Step::Compile);
        for other in ["-E a.c", "-S a.c", "-MM a.c", "--version", "-v", "-print-prog-name=ld", "-I include", "-x c"] {
            assert_eq!(step(other), Step::Other, "{other}");
        }
        assert_eq!(step("-MD -MF a.d -c a.c"), Step::Compile);
        assert_eq!(step("-MMD a.c -o a"), Step::Link);
    }

    #[test]
    fn the_output_is_found_in_all_spellings() {
        assert_eq!(understood("a.c -o x -g").1, "x");
        assert_eq!(understood("a.c -ox").1, "x");
        assert_eq!(understood("a.c -o x -o y").1, "y");
        assert_eq!(understood("-include -o a.c").1, "a.out");
        assert_eq!(understood("a.c").1, "a.out");
    }

    #[test]
    fn response_files_are_read_as_clang_does() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let (outer, inner) = (directory.path().join("outer"), directory.path().join("inner"));
        fs::write(&inner, "-o \"my program\"\n").expect("can be written");
        fs::write(&outer, format!("'a b.c'\n@{}", inner.display())).expect("can be written");
        let arguments = [OsString::from(format!("@{}", outer.display()))];
        assert_eq!(expanded(&arguments), ["a b.c", "-o", "my program"]);
        assert_eq!(Arguments::new(&arguments), Arguments { step: Step::Link, output: "my program".into() });
        assert_eq!(expanded(&["@/nowhere".into()]), ["@/nowhere"]);
        assert_eq!(split(br"a\ b 'c\d' e\\f"), ["a b", r"c\d", r"e\f"]);
    }
}
