//! Files that somebody cut short or changed: every truncation, and random flips of bits, of an executable, a witness and
//! bitcode.
//!
//! Executables and witnesses are refused, whatever bit it was: a checksum covers them from the first byte to the last.
//! Bitcode has none; it is refused, or it means something and is loaded and run. Nothing may crash, hang, or end in
//! an internal error. `ORDAIN_FUZZ_CASES` says how many cases of bitcode are tried; every one of the checks that need
//! no process of their own is always made in full.

use ordain_ir::{CompileOptions, LoadError, Refusal, load};
use ordain_model::witness_text;
use ordain_vm::schedulers::{self, RunToBlock};
use ordain_vm::{Config, Inputs, Machine, RaceMode, Rng};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const ORDAIN: &str = env!("CARGO_BIN_EXE_ordain");
const FLIPS: usize = 10_000;
/// Cases of bitcode without `ORDAIN_FUZZ_CASES`: each takes a process.
const BITCODE_CASES: usize = 400;
/// Of the files that are refused in full, how many are also given to the command line.
const BY_COMMAND: usize = 12;

const PROGRAM: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdio.h>\nstatic int x;\n\
    static void *work(void *p) { for (int i = 0; i < 3; i++) x += i; return p; }\n\
    int main(int argc, char **argv) {\n    pthread_t t;\n    pthread_create(&t, 0, work, 0);\n    pthread_join(t, 0);\n\
    printf(\"%d %s\\n\", x, argc > 1 ? argv[1] : \"-\");\n    assert(x != 3);\n    return 0;\n}\n";

/// A directory with the program in it, in all its forms.
struct Scene {
    directory: TempDir,
}

impl Scene {
    fn new() -> Scene {
        let scene = Scene { directory: tempfile::tempdir().expect("a temporary directory") };
        std::fs::write(scene.path("program.c"), PROGRAM).expect("can be written");
        scene
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Output {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.directory.path()).stdin(Stdio::null()).output().expect("starts")
    }

    fn make(&self, program: &str, arguments: &[&str], result: &str) -> Vec<u8> {
        let output = self.run(program, arguments);
        std::fs::read(self.path(result)).unwrap_or_else(|e| panic!("{e}: {}", words(&output)))
    }

    /// The command line refuses the file, and leaves nothing behind.
    fn refuses(&self, arguments: &[&str], name: &str, bytes: &[u8]) {
        std::fs::write(self.path(name), bytes).expect("can be written");
        let before = self.files();
        let output = self.run(ORDAIN, &[arguments, &[name]].concat());
        assert_eq!(output.status.code(), Some(2), "{}", words(&output));
        assert!(words(&output).contains(name), "{}", words(&output));
        assert_eq!(self.files(), before);
    }

    fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<_> = std::fs::read_dir(self.directory.path())
            .expect("can be listed")
            .map(|entry| entry.expect("can be listed").path())
            .collect();
        files.sort();
        files
    }
}

fn words(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("{}\n{}{}", output.status, text(&output.stdout), text(&output.stderr))
}

fn flipped(whole: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut damaged = whole.to_vec();
    damaged[rng.below(whole.len())] ^= 1 << rng.below(8);
    damaged
}

/// All truncations and many flips, of which some go to the command line too.
fn is_refused(whole: &[u8], refused: impl Fn(&[u8]) -> bool, by_command: impl Fn(&[u8])) {
    assert!(!refused(whole), "as it is, it is fine");
    for length in 0..whole.len() {
        assert!(refused(&whole[..length]), "cut at {length}");
    }
    let mut rng = Rng::new(1);
    for case in 0..FLIPS {
        assert!(refused(&flipped(whole, &mut rng)), "case {case}");
    }
    for _ in 0..BY_COMMAND {
        by_command(&whole[..rng.below(whole.len())]);
        by_command(&flipped(whole, &mut rng));
    }
}

#[test]
fn executables() {
    let scene = Scene::new();
    let whole = scene.make(ORDAIN, &["cc", "-O1", "program.c", "-o", "program"], "program");
    let refused = |bytes: &[u8]| ordain_ir::embed::extract(bytes).is_err();
    is_refused(&whole, refused, |bytes| scene.refuses(&["run", "-o", "w"], "damaged", bytes));
}

#[test]
fn witnesses() {
    let scene = Scene::new();
    let whole = scene.make(ORDAIN, &["run", "--quiet", "-o", "program.witness", "program.c"], "program.witness");
    let refused = |bytes: &[u8]| witness_text::from_text(bytes).is_err();
    is_refused(&whole, refused, |bytes| scene.refuses(&["replay"], "damaged.witness", bytes));
}

#[test]
fn bitcode() {
    let scene = Scene::new();
    let whole = scene.make("clang-22", &["-g", "-emit-llvm", "-c", "program.c", "-o", "program.bc"], "program.bc");
    // Unless asked for more, a sample of the lengths as well as of the flips: each is a run of LLVM's reader and linker.
    let asked = std::env::var("ORDAIN_FUZZ_CASES").ok().and_then(|n| n.parse().ok());
    let (cases, step) = match asked {
        Some(cases) => (cases, 1),
        None => (BITCODE_CASES, (4 * whole.len() / BITCODE_CASES).max(1)),
    };
    // Two processes at a time, with other cases each.
    std::thread::scope(|scope| {
        for half in 0..2 {
            let (scene, whole) = (&scene, &whole);
            scope.spawn(move || {
                let mut rng = Rng::new(2 + half);
                let path = scene.path(&format!("damaged-{half}.bc"));
                for length in (half as usize * step..whole.len()).step_by(2 * step) {
                    try_bitcode(&path, &whole[..length], &format!("cut at {length}"));
                }
                for case in 0..cases / 2 {
                    try_bitcode(&path, &flipped(whole, &mut rng), &format!("half {half}, case {case}"));
                }
            });
        }
    });
}

/// Bitcode is refused or runs.
fn try_bitcode(path: &Path, bytes: &[u8], case: &str) {
    std::fs::write(path, bytes).expect("can be written");
    let loaded = match load(&[path.to_owned()], &CompileOptions::default()) {
        Ok(loaded) => loaded,
        Err(error @ (LoadError::Internal(_) | LoadError::Refused(Refusal::Internal(_)))) => panic!("{case}: {error}"),
        Err(_) => return,
    };
    let facts = ordain_ir::facts::Facts::new(&loaded.program);
    let config = Config { races: RaceMode::Full, local_limit: 100_000, ..Config::default() };
    let mut machine = Machine::alone(&loaded.program, &facts, config);
    machine.provide_inputs(Inputs::zero());
    schedulers::run(&mut machine, &mut RunToBlock::default(), 10_000);
}
