//! `ordain cc`: executables that carry their own bitcode.

mod common;

use common::{Files, builtins, function, points};
use ordain_ir::LoadError;
use ordain_ir::cc::{self, Language};
use ordain_ir::program::Builtin;
use std::ffi::OsString;
use std::process::Command;

const MAIN: &str = "#include <stdio.h>\n#include <pthread.h>\nint work(int);\nint g;\n\
    void *t(void *p) { g = work(20); return p; }\n\
    int main(void) { pthread_t h; pthread_create(&h, 0, t, 0); pthread_join(h, 0); printf(\"%d\\n\", g); return 0; }";
const WORK: &str = "static int twice(int x) { return 2 * x; } int work(int x) { return twice(x) + 2; }";

fn compile(files: &Files, arguments: &[&str]) {
    let arguments: Vec<OsString> =
        arguments.iter().map(|a| if a.starts_with('-') { a.into() } else { files.path(a).into_os_string() }).collect();
    assert!(cc::cc(Language::C, &arguments).expect("clang runs").success());
}

fn check(files: &Files, executable: &str) {
    let output = Command::new(files.path(executable)).output().expect("it runs");
    assert_eq!(output.stdout, b"42\n");
    let loaded = files.load(&[executable]).expect("it carries bitcode");
    assert!(builtins(function(&loaded.program, "main")).contains(&Builtin::ThreadCreate));
    assert_eq!(points(function(&loaded.program, "t")), 1);
    function(&loaded.program, "work");
    let again = files.load(&[executable]).expect("loads again");
    assert_eq!(loaded.program.build, again.program.build);
    let left: Vec<_> = std::fs::read_dir(files.0.path())
        .expect("can be listed")
        .map(|entry| entry.expect("can be listed").file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with('.') || name.contains("preopt") || name.ends_with(".bc"))
        .collect();
    assert!(left.is_empty(), "left behind: {left:?}");
}

#[test]
fn compiled_and_linked_at_once() {
    let files = Files::new(&[("main.c", MAIN), ("work.c", WORK)]);
    compile(&files, &["-O0", "main.c", "work.c", "-pthread", "-o", "all"]);
    check(&files, "all");
}

#[test]
fn compiled_to_objects_first() {
    let files = Files::new(&[("main.c", MAIN), ("work.c", WORK)]);
    compile(&files, &["-c", "main.c", "-o", "main.o"]);
    compile(&files, &["-c", "work.c", "-o", "work.o"]);
    compile(&files, &["-pthread", "main.o", "work.o", "-o", "linked"]);
    check(&files, "linked");
}

#[test]
fn with_an_archive() {
    let files = Files::new(&[("main.c", MAIN), ("work.c", WORK)]);
    compile(&files, &["-c", "work.c", "-o", "work.o"]);
    let status = Command::new("llvm-ar-22").arg("rcs").arg(files.path("libwork.a")).arg(files.path("work.o")).status();
    assert!(status.expect("llvm-ar-22 runs").success());
    compile(&files, &["main.c", "libwork.a", "-o", "linked"]);
    check(&files, "linked");
}

#[test]
fn damage_anywhere_is_noticed() {
    let files = Files::new(&[("main.c", MAIN), ("work.c", WORK)]);
    compile(&files, &["main.c", "work.c", "-o", "whole"]);
    let whole = std::fs::read(files.path("whole")).expect("is there");
    for at in [1000, whole.len() / 2, whole.len() - 60] {
        let mut damaged = whole.clone();
        damaged[at] ^= 4;
        std::fs::write(files.path("damaged"), damaged).expect("can be written");
        let error = files.load(&["damaged"]).map(|_| ()).expect_err("is refused");
        assert!(error.to_string().contains("checksum"), "{error}");
    }
    for length in [whole.len() / 2, whole.len() - 10, 100, 10] {
        std::fs::write(files.path("cut"), &whole[..length]).expect("can be written");
        let error = files.load(&["cut"]).map(|_| ()).expect_err("is refused");
        assert!(matches!(error, LoadError::BadExecutable { .. }), "{error}");
    }
}

#[test]
fn clang_s_own_failure_is_passed_on() {
    let files = Files::new(&[("bad.c", "int main(void) { return }")]);
    let arguments = [files.path("bad.c").into(), "-o".into(), files.path("bad").into()];
    assert!(!cc::cc(Language::C, &arguments).expect("clang runs").success());
    assert!(!files.path("bad").exists());
}
