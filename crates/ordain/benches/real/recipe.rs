//! How to come by a program: a file of `tests/real/programs`, or of `tests/real/seeded` or `tests/real/racy`, which have a bug each.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

type Failure = Box<dyn std::error::Error>;

pub struct Recipe {
    pub name: String,
    file: PathBuf,
    packages: Vec<String>,
    executable: PathBuf,
    pub compress: Vec<String>,
    pub decompress: Vec<String>,
    /// The file that has a race, if there is one.
    #[allow(dead_code, reason = "only predictions are held to it")]
    pub races: Option<String>,
}

/// All recipes of a directory of `tests/real`, in the order of their names.
pub fn recipes(root: &Path, directory: &str) -> Result<Vec<Recipe>, Failure> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(root.join("tests/real").join(directory))? {
        files.push(entry?.path());
    }
    files.sort();
    files.into_iter().map(Recipe::read).collect()
}

impl Recipe {
    fn read(file: PathBuf) -> Result<Recipe, Failure> {
        let text = std::fs::read_to_string(&file)?;
        let known = |key: &str| {
            let mut lines = text.lines().map_while(|line| line.strip_prefix("# "));
            lines.find_map(|line| line.strip_prefix(key)?.strip_prefix(": "))
        };
        let value = |key: &str| known(key).ok_or_else(|| format!("{} has no line '# {key}: ...'", file.display()));
        let words = |key: &str| value(key).map(|v| v.split_whitespace().map(str::to_owned).collect());
        Ok(Recipe {
            name: file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            packages: words("packages")?,
            executable: value("executable")?.into(),
            compress: words("compress")?,
            decompress: words("decompress")?,
            races: known("races").map(str::to_owned),
            file,
        })
    }

    /// Fetches the program and builds it with `ordain cc` below `directory`, unless that has been done; returns the executable.
    pub fn make(&self, root: &Path, directory: &Path) -> Result<PathBuf, Failure> {
        self.make_with(root, directory, "build", &format!("{} cc", env!("CARGO_BIN_EXE_ordain")))
    }

    /// The same with any compiler, in a place of its own.
    pub fn make_with(&self, root: &Path, directory: &Path, place: &str, compiler: &str) -> Result<PathBuf, Failure> {
        let place = directory.join(place).join(&self.name);
        let executable = place.join(&self.executable);
        if executable.exists() {
            return Ok(executable);
        }
        succeed(Command::new(root.join("tests/real/fetch")).arg(directory).args(&self.packages))?;
        if place.exists() {
            std::fs::remove_dir_all(&place)?;
        }
        std::fs::create_dir_all(&place)?;
        for package in &self.packages {
            // With their dates, or make would go and regenerate what is there.
            succeed(Command::new("cp").arg("-a").arg(directory.join("sources").join(package)).arg(&place))?;
        }
        eprintln!("building {} (what is said goes to {})", self.name, place.join("log").display());
        let log = std::fs::File::create(place.join("log"))?;
        let mut build = Command::new("bash");
        build.arg("-e").arg(&self.file).current_dir(&place).env("CC", compiler);
        succeed(build.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log))?;
        Ok(executable)
    }
}

pub fn succeed(command: &mut Command) -> Result<(), Failure> {
    let status = command.status()?;
    if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}").into()) }
}
