//! Compiles the runtime (`ordain-rt`) as a static library, which is then embedded: the `ordain` executable stays one file.
//!
//! By calling rustc directly, because cargo has no stable way to depend on another crate's static library. The runtime has
//! no dependencies, so that is all there is to it.

use std::path::{Path, PathBuf};
use std::process::{Command, exit};

fn main() {
    let sources = PathBuf::from("../ordain-rt/src");
    println!("cargo::rerun-if-changed={}", sources.display());
    println!("cargo::rerun-if-changed=build.rs");
    compile(&sources, "libordain_rt.a", &["standalone"]);
    compile(&sources, "libordain_recorder.a", &["standalone", "recorder"]);
}

fn compile(sources: &Path, library: &str, features: &[&str]) {
    let variable = |name: &str| std::env::var_os(name).unwrap_or_else(|| fail(&format!("{name} is not set")));
    let library = PathBuf::from(variable("OUT_DIR")).join(library);
    let status = Command::new(variable("RUSTC"))
        .args(["--edition=2024", "--crate-name=ordain_rt", "--crate-type=staticlib"])
        .args(features.iter().flat_map(|feature| ["--cfg".to_owned(), format!("feature=\"{feature}\"")]))
        .args(["-Cpanic=abort", "-Copt-level=2", "-Clto=fat", "-Ccodegen-units=1", "-Crelocation-model=pic"])
        .arg(sources.join("lib.rs"))
        .arg("-o")
        .arg(&library)
        .status();
    match status {
        Ok(status) if status.success() => (),
        Ok(status) => fail(&format!("compiling the runtime failed ({status})")),
        Err(e) => fail(&format!("cannot start the Rust compiler: {e}")),
    }
}

fn fail(why: &str) -> ! {
    eprintln!("{why}");
    exit(1)
}
