//! Bad input is an error that says what is wrong; never a panic.

mod common;

use common::{Files, try_load};
use ordain_ir::{CompileOptions, LoadError, Refusal, load};

#[test]
fn nothing_and_missing_files() {
    assert!(matches!(load(&[], &CompileOptions::default()), Err(LoadError::NothingGiven)));
    let files = Files::new(&[]);
    assert!(matches!(files.load(&["absent.c"]), Err(LoadError::Unreadable { path, .. }) if path.ends_with("absent.c")));
}

#[test]
fn c_that_does_not_compile_shows_what_clang_says() {
    let error = try_load("int main(void) { return oops; }").expect_err("does not compile");
    assert!(matches!(&error, LoadError::DoesNotCompile { .. }));
    assert!(error.to_string().contains("undeclared identifier 'oops'"), "{error}");
}

#[test]
fn a_program_without_main() {
    assert!(matches!(try_load("int f(void) { return 1; }"), Err(LoadError::Refused(Refusal::NoMain))));
}

#[test]
fn other_kinds_of_files() {
    let files = Files::new(&[("notes.txt", "hello")]);
    assert!(matches!(files.load(&["notes.txt"]), Err(LoadError::UnknownKind { .. })));
}

#[test]
fn two_definitions_of_one_function() {
    let files = Files::new(&[("a.c", "int main(void) { return 0; }"), ("b.c", "int main(void) { return 1; }")]);
    let error = files.load(&["a.c", "b.c"]).expect_err("does not link");
    assert!(matches!(&error, LoadError::Refused(Refusal::DoesNotLink { .. })), "{error}");
    assert!(error.to_string().contains("main"), "{error}");
}

#[test]
fn garbage_and_truncated_bitcode() {
    let files =
        Files::new(&[("a.c", "int g; int main(void) { return g; }"), ("empty.bc", ""), ("b.bc", "BC\u{c0}nonsense")]);
    let whole = files.load(&["a.c"]).expect("loads").bitcode;
    for (name, bytes) in [
        ("cut.bc", whole[..whole.len() / 2].to_vec()),
        ("noise.bc", [b"BC\xc0\xde".to_vec(), (0..5000u32).map(|i| ((i * 7919) >> 3) as u8).collect()].concat()),
        ("flipped.bc", whole.iter().enumerate().map(|(i, b)| if i % 97 == 50 { !b } else { *b }).collect()),
    ] {
        std::fs::write(files.path(name), bytes).expect("can be written");
    }
    for name in ["empty.bc", "b.bc", "cut.bc", "noise.bc", "flipped.bc"] {
        let error = files.load(&[name]).expect_err("is refused");
        let refused =
            matches!(&error, LoadError::Refused(Refusal::NotBitcode { .. }) | LoadError::ReaderCrashed { .. });
        assert!(refused, "{name}: {error}");
        assert!(error.to_string().contains("not valid bitcode"), "{error}");
    }
}

#[test]
fn executables_without_bitcode() {
    let files = Files::new(&[("cut.exe", "\x7fELF\u{2}\u{1}\u{1}")]);
    let error = files.load(&["cut.exe"]).expect_err("is refused");
    assert!(matches!(&error, LoadError::BadExecutable { .. }), "{error}");
    let own = std::env::current_exe().expect("this test has a path");
    let error = load(&[own], &CompileOptions::default()).expect_err("is refused");
    assert!(error.to_string().contains("ordain cc"), "{error}");
}
