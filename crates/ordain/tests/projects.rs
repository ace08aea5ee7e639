//! Projects of `tests/projects`, built with `ordain cc` as their compiler the way people build them: what comes out runs,
//! natively and in the machine, with the same output.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

const ORDAIN: &str = env!("CARGO_BIN_EXE_ordain");

/// A copy of a project to build in.
struct Project {
    directory: TempDir,
}

impl Project {
    fn copy_of(name: &str) -> Project {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/projects").join(name);
        let directory = tempfile::tempdir().expect("a temporary directory");
        for entry in std::fs::read_dir(&from).expect("the project exists") {
            let path = entry.expect("can be listed").path();
            let name = path.file_name().expect("a file has a name");
            std::fs::copy(&path, directory.path().join(name)).expect("can be copied");
        }
        Project { directory }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Runs a step of the build, which must succeed; returns what it printed.
    fn step(&self, program: &str, arguments: &[&str]) -> String {
        let output = Command::new(program)
            .args(arguments)
            .current_dir(self.directory.path())
            .env("CC", format!("{ORDAIN} cc"))
            .env_remove("MAKEFLAGS")
            .output()
            .unwrap_or_else(|e| panic!("{program} starts: {e}"));
        assert!(output.status.success(), "{program} {arguments:?}: {}", words(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Natively and in the machine, under two schedules.
    fn check(&self, executable: &str, argument: &str, expected: &str) {
        let path = self.path(executable);
        let native = Command::new(&path).arg(argument).output().expect("it runs");
        assert_eq!((native.status.code(), text(&native.stdout)), (Some(0), expected.to_owned()));
        for schedule in [&["--round-robin"][..], &["--random", "7"]] {
            let output = ordain(&[&["run"][..], schedule].concat(), &path, argument);
            assert_eq!(
                (output.status.code(), text(&output.stdout)),
                (Some(0), expected.to_owned()),
                "{}",
                words(&output)
            );
        }
    }

    fn leaves_nothing_behind(&self) {
        let entries = std::fs::read_dir(self.directory.path()).expect("can be listed");
        let names = entries.map(|entry| entry.expect("can be listed").file_name().to_string_lossy().into_owned());
        let left: Vec<_> = names.filter(|name| name.starts_with('.') || name.contains("preopt")).collect();
        assert!(left.is_empty(), "left behind: {left:?}");
    }
}

fn ordain(arguments: &[&str], path: &Path, argument: &str) -> Output {
    Command::new(ORDAIN).args(arguments).arg(path).args(["--", argument]).output().expect("ordain starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn words(output: &Output) -> String {
    format!("{}\n{}{}", output.status, text(&output.stdout), text(&output.stderr))
}

#[test]
fn configure_and_parallel_make() {
    let project = Project::copy_of("configure");
    // Not executed itself: this process has just written it, and a child of another test may still have it open.
    project.step("sh", &["./configure"]);
    let config = std::fs::read_to_string(project.path("config.h")).expect("configure wrote it");
    assert_eq!(config, "#define HAVE_USLEEP 1\n/* no frobnicate */\n#define SIZEOF_POINTER 8\n");
    project.step("make", &["-j", "4"]);
    assert!(std::fs::read_to_string(project.path("count.d")).expect("was asked for").contains("count.h"));
    for program in ["one", "two", "three", "four"] {
        let native = Command::new(project.path(program)).output().expect("it runs");
        assert_eq!(text(&native.stdout), format!("{program} 6 8 -\n"));
    }
    project.check("three", "now", "three 6 8 now\n");
    assert_eq!(project.step("make", &["-q"]), "", "everything is up to date");
    project.leaves_nothing_behind();
}

#[test]
fn cmake() {
    let project = Project::copy_of("cmake");
    project.step("cmake", &["-B", "build", "-DCMAKE_BUILD_TYPE=Release"]);
    project.step("make", &["-C", "build", "-j", "4"]);
    project.check("build/pass", "", "123456\n");
}

#[test]
fn static_libraries_by_either_archiver() {
    for (ar, ranlib) in [("AR=ar", "RANLIB=ranlib"), ("AR=llvm-ar-22", "RANLIB=llvm-ranlib-22")] {
        let project = Project::copy_of("archive");
        project.step("make", &["-e", ar, ranlib]);
        project.check("program", "", "42\n");
        project.leaves_nothing_behind();
    }
}

#[test]
fn what_is_not_compiling_is_clang_s() {
    let project = Project::copy_of("archive");
    for question in [&["-dumpmachine"][..], &["-print-prog-name=ld"], &["--version"], &["-v"], &["-E", "main.c"]] {
        let run = |program: &str, first: &[&str]| {
            let mut command = Command::new(program);
            command.args(first).args(question).current_dir(project.directory.path()).output().expect("starts")
        };
        let (ours, clangs) = (run(ORDAIN, &["cc"]), run("clang-22", &[]));
        assert_eq!(words(&ours), words(&clangs), "{question:?}");
    }
    let failing = Command::new(ORDAIN).args(["cc", "-c", "/nowhere.c"]).output().expect("starts");
    assert_eq!(failing.status.code(), Some(1));
    let nowhere = project.step(ORDAIN, &["cc", "main.c", "used.c", "-o", "/dev/null"]);
    assert_eq!(nowhere, "");
    assert!(!Path::new("/dev/null").is_file());
    project.step(ORDAIN, &["cc", "-shared", "-fPIC", "used.c", "-o", "libused.so"]);
    project.step(ORDAIN, &["cc", "-O2", "main.c", "libused.so", "-Wl,-rpath,$ORIGIN", "-o", "shared"]);
    let native = Command::new(project.path("shared")).output().expect("it runs");
    assert_eq!(text(&native.stdout), "42\n");
    // What is in a shared library is not part of the bitcode: reaching it says so.
    let output = ordain(&["run"], &project.path("shared"), "");
    assert_eq!(output.status.code(), Some(3), "{}", words(&output));
    assert!(words(&output).contains("used"), "{}", words(&output));
}

#[test]
fn cplusplus_and_a_compiler_that_is_one_word() {
    let project = Project::copy_of("archive");
    std::fs::write(project.path("hello.cc"), "#include <iostream>\nint main() { std::cout << \"hello\\n\"; }\n")
        .expect("can be written");
    project.step(ORDAIN, &["c++", "-O1", "hello.cc", "-o", "hello"]);
    assert_eq!(text(&Command::new(project.path("hello")).output().expect("it runs").stdout), "hello\n");
    let compiler = project.path("ordain-cc");
    std::os::unix::fs::symlink(ORDAIN, &compiler).expect("a link can be made");
    let output = Command::new(&compiler)
        .args(["main.c", "used.c", "-o", "program"])
        .current_dir(project.directory.path())
        .output()
        .expect("starts");
    assert!(output.status.success(), "{}", words(&output));
    project.check("program", "", "42\n");
}

#[test]
fn models_of_the_user() {
    let project = Project::copy_of("archive");
    project.step(ORDAIN, &["cc", "-shared", "-fPIC", "used.c", "-o", "libused.so"]);
    project.step(ORDAIN, &["cc", "main.c", "libused.so", "-o", "program"]);
    let run = |arguments: &[&str]| {
        let mut command = Command::new(ORDAIN);
        command.args(arguments).current_dir(project.directory.path()).output().expect("ordain starts")
    };
    let without = run(&["run", "program"]);
    assert_eq!(without.status.code(), Some(3));
    for word in ["main.c:6", "'used' has no model", "--model FILE"] {
        assert!(words(&without).contains(word), "{}", words(&without));
    }
    assert_eq!(text(&run(&["run", "program", "--model", "used.c"]).stdout), "42\n");
    assert_eq!(run(&["explore", "--quiet", "program", "--model", "used.c"]).status.code(), Some(0));
    // A witness knows the models that it needs.
    std::fs::write(project.path("bad.c"), "#include <stdlib.h>\nint used(int x) { abort(); return x; }\n")
        .expect("can be written");
    assert_eq!(run(&["run", "--quiet", "-o", "w", "program", "--model", "bad.c"]).status.code(), Some(1));
    assert_eq!(run(&["replay", "--quiet", "w"]).status.code(), Some(1));
    assert_eq!(run(&["replay", "--quiet", "--model", "used.c", "w"]).status.code(), Some(2));
}
