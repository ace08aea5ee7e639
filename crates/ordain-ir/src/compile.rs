//! From files to a `Program`: the front door of this crate.

use crate::child::{self, Loaded};
use crate::embed;
use crate::error::LoadError;
use crate::header::HeaderDirectory;
use crate::lower::start::Surroundings;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The compiler, as it is found on `PATH`.
pub const CLANG: &str = "clang-22";

#[derive(Clone, Debug, Default)]
pub struct CompileOptions {
    /// Further flags for clang.
    pub cflags: Vec<String>,
    /// What the program under analysis gets as arguments, without its own name. The build does not depend on them.
    pub args: Vec<String>,
    /// The variables of its environment, each as `NAME=VALUE`. The build does not depend on them either.
    pub environment: Vec<String>,
    /// The user's own models of library functions: sources or bitcode, linked with whatever the program is.
    pub models: Vec<PathBuf>,
}

impl CompileOptions {
    fn surroundings(&self) -> Surroundings {
        Surroundings { arguments: self.args.clone(), environment: self.environment.clone() }
    }
}

enum Kind {
    Source,
    Bitcode,
    Executable,
}

/// Loads a program: C and C++ sources and bitcode, or one executable made by `ordain cc`.
pub fn load(paths: &[PathBuf], options: &CompileOptions) -> Result<Loaded, LoadError> {
    let mut modules = Vec::new();
    let mut compiler = None;
    for (i, path) in paths.iter().chain(&options.models).enumerate() {
        let bytes = read(path)?;
        match kind(path, &bytes)? {
            Kind::Executable if paths.len() > 1 || i > 0 => return Err(LoadError::ExecutableAmongOthers),
            Kind::Executable => {
                let bitcode =
                    embed::extract(&bytes).map_err(|reason| LoadError::BadExecutable { path: path.clone(), reason })?;
                modules.push((path.display().to_string(), bitcode.to_vec()));
            }
            Kind::Bitcode => modules.push((path.display().to_string(), bytes)),
            Kind::Source => {
                let compiler = match &mut compiler {
                    Some(compiler) => compiler,
                    none => none.insert(Compiler::new()?),
                };
                modules.push((path.display().to_string(), compiler.compile(path, &options.cflags)?));
            }
        }
    }
    if modules.is_empty() {
        return Err(LoadError::NothingGiven);
    }
    child::read(modules, options.surroundings())
}

fn read(path: &Path) -> Result<Vec<u8>, LoadError> {
    fs::read(path).map_err(|source| LoadError::Unreadable { path: path.to_owned(), source })
}

/// Whether clang compiles a file with this name from source.
pub(crate) fn is_source(path: &Path) -> bool {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    ["c", "i", "cc", "cpp", "cxx", "c++", "C", "ii"].contains(&extension)
}

fn kind(path: &Path, bytes: &[u8]) -> Result<Kind, LoadError> {
    if is_source(path) {
        return Ok(Kind::Source);
    }
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    if extension == "bc" || extension == "ll" || bytes.starts_with(b"BC\xc0\xde") {
        Ok(Kind::Bitcode)
    } else if bytes.starts_with(b"\x7fELF") {
        Ok(Kind::Executable)
    } else {
        Err(LoadError::UnknownKind { path: path.to_owned() })
    }
}

struct Compiler {
    header: HeaderDirectory,
    directory: TempDir,
}

impl Compiler {
    fn new() -> Result<Self, LoadError> {
        let header = HeaderDirectory::new().map_err(LoadError::Temporary)?;
        Ok(Compiler { header, directory: tempfile::tempdir().map_err(LoadError::Temporary)? })
    }

    /// Optimisation stays off, since it would remove and merge accesses that other threads can see.
    fn compile(&self, path: &Path, cflags: &[String]) -> Result<Vec<u8>, LoadError> {
        let unreadable = |source| LoadError::Unreadable { path: path.to_owned(), source };
        let absolute = std::path::absolute(path).map_err(unreadable)?;
        let output = self.directory.path().join("module.bc");
        let mut command = Command::new(CLANG);
        command.args(["-O0", "-Xclang", "-disable-O0-optnone", "-g", "-emit-llvm", "-c"]);
        let home = absolute.parent().unwrap_or(&absolute).display().to_string();
        command.args(self.header.flags()).args(path_flags(&home));
        command.args(cflags).arg("-o").arg(&output).arg(&absolute);
        let result = command.output().map_err(|source| LoadError::ToolMissing { tool: CLANG.into(), source })?;
        if !result.status.success() {
            let (long, short) = (absolute.display().to_string(), path.display().to_string());
            let diagnostics = String::from_utf8_lossy(&result.stderr).trim_end().replace(&long, &short);
            return Err(LoadError::DoesNotCompile { path: path.to_owned(), diagnostics });
        }
        fs::read(&output).map_err(LoadError::Temporary)
    }
}

/// Makes the bitcode independent of where clang was started and how the path was written, so that the build's hash is as
/// well: what the program sees of paths is relative to the source's own directory, `home`.
fn path_flags(home: &str) -> [String; 2] {
    [format!("-fdebug-compilation-dir={home}"), format!("-fmacro-prefix-map={home}/=")]
}
