//! Compiles the models of library functions to bitcode, and stamps the crate's sources.
//!
//! The stamp tells a helper executable of another build apart (see `child`): what it sends would not be understood.

use sha2::{Digest, Sha256};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let root = here.join("../..");
    compile_models(&root, &out);
    let mut stamp = Sha256::new();
    for directory in [here.join("src"), here.join("../ordain-expr/src"), root.join("models")] {
        println!("cargo::rerun-if-changed={}", directory.display());
        hash_files(&directory, &mut stamp);
    }
    let stamp: String = stamp.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    println!("cargo::rustc-env=ORDAIN_IR_STAMP={stamp}");
}

fn compile_models(root: &Path, out: &Path) {
    let mut table = String::from("/// Names and bitcode of the models.\nstatic MODELS: &[(&str, &[u8])] = &[\n");
    let mut functions = Vec::new();
    let is_source = |path: &PathBuf| path.extension().is_some_and(|e| e == "c");
    for source in sorted_files(&root.join("models")).into_iter().filter(is_source) {
        let name = source.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        let bitcode = out.join(format!("{name}.bc"));
        // Paths are mapped away so that bitcode, and the hash of every build, is the same wherever this is built.
        let status = Command::new("clang-22")
            .current_dir(root)
            .args(["-O0", "-Xclang", "-disable-O0-optnone", "-g", "-emit-llvm", "-c", "-std=gnu17", "-Wall", "-Werror"])
            .args(["-fno-builtin", "-Wno-incompatible-library-redeclaration", "-fdebug-compilation-dir=."])
            .arg(format!("models/{}", source.file_name().expect("a file has a name").to_string_lossy()))
            .arg("-o")
            .arg(&bitcode)
            .status()
            .expect("clang-22 is needed to build Ordain: install the package clang-22");
        assert!(status.success(), "the model {name} does not compile");
        table.push_str(&format!("    ({name:?}, include_bytes!({:?})),\n", bitcode.display().to_string()));
        functions.extend(defined_functions(&bitcode));
    }
    table.push_str("];\n");
    functions.sort();
    table
        .push_str(&format!("/// The functions that the models define.\nstatic FUNCTIONS: &[&str] = &{functions:?};\n"));
    fs::write(out.join("models.rs"), table).expect("OUT_DIR can be written");
}

/// The functions that a file of bitcode defines for others.
fn defined_functions(bitcode: &Path) -> Vec<String> {
    let output = Command::new("llvm-nm-22")
        .args(["--defined-only", "--extern-only", "--format=posix"])
        .arg(bitcode)
        .output()
        .expect("llvm-nm-22 is needed to build Ordain: install the package llvm-22");
    let text = String::from_utf8(output.stdout).expect("names are ASCII");
    let function = |line: &str| line.split_once(" T").map(|(name, _)| name.to_owned());
    text.lines().filter_map(function).collect()
}

fn hash_files(directory: &Path, stamp: &mut Sha256) {
    for path in sorted_files(directory) {
        if path.is_dir() {
            hash_files(&path, stamp);
        } else {
            stamp.update(fs::read(&path).expect("sources can be read"));
        }
    }
}

fn sorted_files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).expect("the directory exists");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("can be listed").path()).collect();
    paths.sort();
    paths
}
