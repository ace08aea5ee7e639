//! What a user can get wrong: each mistake ends with exit code 2 and a message that says what, where and what to do.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const GOOD: &str = "#include <assert.h>\n#include <ordain.h>\nint main(void) {\n    int i;\n    \
                    ordain_input(&i, sizeof i, \"i\");\n    assert(i != 3);\n    return 0;\n}\n";

/// A directory with files in it; commands run there.
struct Scene {
    directory: TempDir,
}

impl Scene {
    fn new() -> Self {
        Scene { directory: tempfile::tempdir().expect("a temporary directory") }
    }

    fn with(self, name: &str, contents: impl AsRef<[u8]>) -> Self {
        std::fs::write(self.path(name), contents).expect("a file can be written");
        self
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn ordain(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ordain"));
        command.args(arguments).current_dir(self.directory.path()).stdin(Stdio::null());
        command.output().expect("ordain starts")
    }

    /// Runs a command that must be refused with all of these words.
    fn refuses(&self, arguments: &[&str], words: &[&str]) {
        let output = self.ordain(arguments);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(!message.contains("panicked"), "{arguments:?}: {message}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{arguments:?}");
        for word in words {
            assert!(message.contains(word), "{arguments:?} should say {word:?}: {message}");
        }
    }

    /// Explores `good.c`, which has one bug, and returns its witness.
    fn witness(&self) -> String {
        let output = self.ordain(&["explore", "--quiet", "good.c"]);
        assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
        std::fs::read_to_string(self.path("good-assertion-6.witness")).expect("the witness was written")
    }
}

fn clang(scene: &Scene, arguments: &[&str]) {
    let status = Command::new("clang-22").args(arguments).current_dir(scene.directory.path()).status();
    assert!(status.expect("clang-22 starts").success());
}

#[test]
fn options_and_commands_that_do_not_exist() {
    let scene = Scene::new().with("good.c", GOOD);
    scene.refuses(&[], &["Usage: ordain"]);
    scene.refuses(&["frobnicate"], &["frobnicate", "--help"]);
    scene.refuses(&["explore", "--frobnicate", "good.c"], &["--frobnicate", "--help"]);
    scene.refuses(&["explore"], &["PROG"]);
    scene.refuses(&["replay", "--vm", "--native", "w"], &["cannot be used with"]);
}

#[test]
fn values_of_options_that_make_no_sense() {
    let scene = Scene::new().with("good.c", GOOD);
    scene.refuses(&["explore", "--memory", "arm", "good.c"], &["arm", "sc, tso, pso"]);
    scene.refuses(&["explore", "--check", "assertion,typos", "good.c"], &["typos", "use-after-free"]);
    scene.refuses(&["explore", "--time", "soon", "good.c"], &["soon", "--time"]);
    scene.refuses(&["explore", "--audit", "many", "good.c"], &["many", "--audit"]);
    scene.refuses(&["run", "--random", "x", "good.c"], &["--random"]);
    scene.refuses(&["run", "--random", "1", "--round-robin", "good.c"], &["cannot be used with"]);
}

#[test]
fn files_that_are_not_there_or_not_programs() {
    let scene = Scene::new().with("notes.txt", "hello").with("empty.c", "").with("plain", "hello");
    scene.refuses(&["explore", "missing.c"], &["missing.c", "No such file"]);
    scene.refuses(&["run", "missing.bc"], &["missing.bc", "No such file"]);
    scene.refuses(&["explore", "notes.txt"], &["notes.txt", ".c"]);
    scene.refuses(&["explore", "plain"], &["plain"]);
    scene.refuses(&["explore", "."], &["."]);
    scene.refuses(&["explore", "empty.c"], &["main"]);
    let other = Path::new("/bin/true").display().to_string();
    scene.refuses(&["explore", &other], &["/bin/true", "ordain cc"]);
}

#[test]
fn sources_that_do_not_compile_or_link() {
    let scene = Scene::new()
        .with("typo.c", "int main(void) {\n    retrun 0;\n}\n")
        .with("one.c", "int main(void) { return 0; }\n")
        .with("two.c", "int main(void) { return 1; }\n");
    scene.refuses(&["explore", "typo.c"], &["typo.c:2", "error:"]);
    scene.refuses(&["run", "one.c", "two.c"], &["two.c", "main"]);
    scene.refuses(&["run", "one.c", "--cflags", "-fno-such-flag"], &["-fno-such-flag"]);
}

#[test]
fn bitcode_that_is_damaged() {
    let scene = Scene::new()
        .with("good.c", "int main(void) { return 0; }\n")
        .with("empty.bc", "")
        .with("noise.bc", [0xde, 0xad, 0xbe, 0xef].repeat(100))
        .with("noise.ll", "define i32 @main( {\n");
    clang(&scene, &["-emit-llvm", "-c", "good.c", "-o", "whole.bc"]);
    let whole = std::fs::read(scene.path("whole.bc")).expect("clang wrote it");
    let mut bent = whole.clone();
    for byte in bent.iter_mut().skip(whole.len() / 3).step_by(37) {
        *byte ^= 0x55;
    }
    let scene = scene.with("half.bc", &whole[..whole.len() / 2]).with("bent.bc", bent);
    for name in ["empty.bc", "noise.bc", "noise.ll", "half.bc", "bent.bc"] {
        scene.refuses(&["explore", name], &[name, "not valid bitcode"]);
    }
}

#[test]
fn witnesses_that_are_no_witnesses() {
    let scene = Scene::new()
        .with("good.c", GOOD)
        .with("noise.witness", "\u{1}\u{2}")
        .with("list.witness", "[1, 2]")
        .with("old.witness", "{\"version\": 0}")
        .with("thin.witness", "{\"version\": 4}");
    scene.refuses(&["replay", "missing.witness"], &["missing.witness", "No such file"]);
    scene.refuses(&["replay", "noise.witness"], &["noise.witness is not a witness", "ordain explore"]);
    scene.refuses(&["replay", "list.witness"], &["list.witness is not a witness", "ordain explore"]);
    scene.refuses(&["replay", "old.witness"], &["version 0", "ordain explore"]);
    scene.refuses(&["replay", "thin.witness"], &["damaged", "checksum"]);
    scene.refuses(&["run", "--schedule", "noise.witness", "good.c"], &["noise.witness is not a witness"]);
}

#[test]
fn witnesses_that_were_tampered_with() {
    let scene = Scene::new().with("good.c", GOOD);
    let witness = scene.witness();
    let half = &witness[..witness.len() / 2];
    let renamed = witness.replace("\"thread\": \"0\"", "\"thread\": \"zero\"");
    assert_ne!(renamed, witness);
    let scene = scene.with("half.witness", half).with("renamed.witness", renamed);
    scene.refuses(&["replay", "half.witness"], &["half.witness is not a witness"]);
    scene.refuses(&["replay", "renamed.witness"], &["damaged", "checksum"]);
}

#[test]
fn witnesses_of_another_build() {
    let scene = Scene::new().with("good.c", GOOD);
    scene.witness();
    let scene = scene.with("good.c", GOOD.replace("i != 3", "i != 4"));
    scene.refuses(&["replay", "good-assertion-6.witness"], &["another build", "ordain explore"]);
    std::fs::remove_file(scene.path("good.c")).expect("it is there");
    scene.refuses(&["replay", "good-assertion-6.witness"], &["good.c", "No such file"]);
}

#[test]
fn places_that_cannot_be_written() {
    let scene = Scene::new().with("good.c", GOOD).with("taken", "a file, not a directory");
    let output = scene.ordain(&["explore", "--quiet", "-o", "taken", "good.c"]);
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("cannot write taken"), "{message}");
    assert_eq!(std::fs::read(scene.path("taken")).expect("still there"), b"a file, not a directory");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let scene = Scene::new().with("good.c", GOOD);
    let mut child = Command::new(env!("CARGO_BIN_EXE_ordain"))
        .args(["explore", "good.c"])
        .current_dir(scene.directory.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("ordain starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("ordain ends");
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
