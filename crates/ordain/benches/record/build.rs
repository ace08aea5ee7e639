//! One program, built in every way that is compared.

use super::Failure;
use super::programs::{Origin, Program};
use super::recipe::succeed;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const CLANG: &str = "clang-22";
const ORDAIN: &str = env!("CARGO_BIN_EXE_ordain");
/// As much of it is compressed.
const DATA_BYTES: usize = 8 << 20;

/// The executables, and what they are given.
pub struct Built {
    pub clang: PathBuf,
    pub tsan: PathBuf,
    pub leap: PathBuf,
    /// With bitcode, to be recorded.
    pub ordain: PathBuf,
    pub args: Vec<String>,
}

/// The recorder in the manner of LEAP, to be linked.
pub fn leap(root: &Path, place: &Path) -> Result<PathBuf, Failure> {
    let object = place.join("leap.o");
    succeed(Command::new(CLANG).args(["-O2", "-c"]).arg(root.join("bench/leap.c")).arg("-o").arg(&object))?;
    Ok(object)
}

impl Built {
    pub fn new(root: &Path, program: &Program, home: &Path, leap: &Path) -> Result<Built, Failure> {
        let compilers = [
            ("clang", CLANG.to_owned()),
            ("tsan", format!("{CLANG} -fsanitize=thread")),
            // The front end's option instruments accesses, and nobody links a runtime for it: that is ours.
            ("leap", format!("{CLANG} -Qunused-arguments -Xclang -fsanitize=thread -Wl,{}", leap.display())),
            ("build", format!("{ORDAIN} cc")),
        ];
        let mut executables = Vec::new();
        for (name, compiler) in &compilers {
            executables.push(match &program.origin {
                Origin::Source { file, flags } => compile(compiler, file, flags, &home.join(name))?,
                Origin::Debian { recipe } => {
                    let place = format!("record-{name}");
                    // The object lies elsewhere next time; what was built with it stays.
                    recipe.make_with(root, &root.join("target/real"), &place, compiler)?
                }
            });
        }
        let args = match &program.origin {
            Origin::Source { .. } => Vec::new(),
            Origin::Debian { recipe } => {
                let data = home.join("data");
                std::fs::write(&data, real_data(root)?)?;
                let mut args = recipe.compress.clone();
                args.push(data.display().to_string());
                args
            }
        };
        let [clang, tsan, leap, ordain] = executables.try_into().map_err(|_| "four executables")?;
        Ok(Built { clang, tsan, leap, ordain, args })
    }
}

fn compile(compiler: &str, file: &Path, flags: &[String], executable: &Path) -> Result<PathBuf, Failure> {
    let mut words = compiler.split_whitespace();
    let mut command = Command::new(words.next().ok_or("no compiler")?);
    command.args(words).args(["-O2", "-w", "-pthread"]).args(flags).arg(file).arg("-o").arg(executable);
    succeed(command.stdin(Stdio::null()))?;
    Ok(executable.to_owned())
}

/// Sources of the programs themselves, one after the other.
fn real_data(root: &Path) -> Result<Vec<u8>, Failure> {
    let mut data = Vec::new();
    let mut open = vec![root.join("target/real/sources")];
    while let Some(path) = open.pop().filter(|_| data.len() < DATA_BYTES) {
        if path.is_dir() {
            let mut inside: Vec<PathBuf> =
                std::fs::read_dir(&path)?.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>()?;
            inside.sort_by(|a, b| b.cmp(a));
            open.extend(inside);
        } else if path.is_file() && !path.is_symlink() {
            data.extend(std::fs::read(&path)?);
        }
    }
    data.truncate(DATA_BYTES);
    Ok(data)
}
