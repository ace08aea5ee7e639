//! What predictions are compared with: ThreadSanitizer, compiled into the program, and helgrind, which runs any program.
//!
//! Both judge the run that they see. How they report is brought into one form: a kind, and the line at the top of each of the two stacks. A
//! detector that is silent proves nothing unless it works: each is tried on a program with a race first (`Detector::try_on`).

use super::Failure;
use super::recipe::succeed;
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// What they see depends on how threads happen to run, so each runs the program several times.
pub const RUNS: u32 = 5;
/// A report has more stacks than those that are about what went wrong: of where threads, locks and blocks came from.
const MOST_PLACES: usize = 2;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Detector {
    ThreadSanitizer,
    Helgrind,
}

/// A kind of report and its lines.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Finding {
    pub kind: String,
    pub places: Vec<String>,
}

/// What a detector said.
pub struct Seen {
    /// How many reports there are of each, in all runs.
    pub findings: BTreeMap<Finding, u32>,
    /// Of all runs.
    pub seconds: f64,
}

impl Detector {
    pub fn name(self) -> &'static str {
        match self {
            Detector::ThreadSanitizer => "tsan",
            Detector::Helgrind => "helgrind",
        }
    }

    /// A compiler for it, which lies in `directory`. It is a script, to have the last word: makefiles put their -O2 behind the name of
    /// the compiler, and functions that were inlined are not on the stack.
    pub fn compiler(self, directory: &Path) -> Result<PathBuf, Failure> {
        let options = match self {
            Detector::ThreadSanitizer => "-g -fsanitize=thread",
            // It does not know what clang writes by default.
            Detector::Helgrind => "-g -gdwarf-4",
        };
        let directory = directory.join("compilers");
        std::fs::create_dir_all(&directory)?;
        let script = directory.join(self.name());
        std::fs::write(&script, format!("#!/bin/sh\nexec clang-22 {options} \"$@\" -O1\n"))?;
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755))?;
        Ok(script)
    }

    /// An error if it does not see the race of a program that has one.
    pub fn try_on(self, source: &Path, flags: &str, compiler: &Path, home: &Path) -> Result<(), Failure> {
        let executable = home.join(format!("tried-{}", self.name()));
        succeed(Command::new(compiler).args(["-pthread", flags]).arg(source).arg("-o").arg(&executable))?;
        let seen = self.watch(&executable, &[], source.parent().unwrap_or(source), home)?;
        match seen.findings.keys().any(|finding| finding.kind.contains("race")) {
            true => Ok(()),
            false => Err(format!("{} does not see the race of {}", self.name(), source.display()).into()),
        }
    }

    /// Runs an executable that is made for it; `sources` is where the program's own code lies.
    pub fn watch(self, executable: &Path, args: &[String], sources: &Path, home: &Path) -> Result<Seen, Failure> {
        let start = Instant::now();
        let mut findings = BTreeMap::new();
        for nth in 0..RUNS {
            let reports = home.join(format!("{}-reports-{nth}", self.name()));
            self.run(executable, args, &reports)?;
            for finding in self.findings(&reports, sources)? {
                *findings.entry(finding).or_default() += 1;
            }
        }
        Ok(Seen { findings, seconds: start.elapsed().as_secs_f64() })
    }

    /// Runs it once, with reports in a place of their own: the program writes to standard error as well.
    fn run(self, executable: &Path, args: &[String], reports: &Path) -> Result<(), Failure> {
        let mut command = match self {
            Detector::ThreadSanitizer => {
                let mut command = Command::new(executable);
                // Where addresses are too random for it, its runtime starts the program again without that, by itself.
                let options = format!("exitcode=0 log_path={}", reports.display());
                command.env("TSAN_OPTIONS", options);
                command
            }
            Detector::Helgrind => {
                let mut command = Command::new("valgrind");
                command.args(["--tool=helgrind", "--xml=yes", &format!("--xml-file={}", reports.display())]);
                command.arg(executable);
                command
            }
        };
        let output = command.args(args).stdin(Stdio::null()).output()?;
        if output.status.success() {
            return Ok(());
        }
        let (name, status) = (self.name(), output.status);
        Err(format!("{} with {name}: {status}: {}", executable.display(), String::from_utf8_lossy(&output.stderr))
            .into())
    }

    fn findings(self, reports: &Path, sources: &Path) -> Result<Vec<Finding>, Failure> {
        match self {
            Detector::Helgrind => Ok(of_helgrind(&std::fs::read_to_string(reports)?, sources)),
            Detector::ThreadSanitizer => {
                // It adds the number of the process, and makes no file if there is nothing to say.
                let (directory, name) = (reports.parent().ok_or("no directory")?, reports.file_name());
                let name = format!("{}.", name.unwrap_or_default().display());
                let mut findings = Vec::new();
                for entry in std::fs::read_dir(directory)? {
                    let entry = entry?;
                    if entry.file_name().to_string_lossy().starts_with(&name) {
                        findings.extend(of_sanitizer(&std::fs::read_to_string(entry.path())?, sources));
                    }
                }
                Ok(findings)
            }
        }
    }
}

/// A function on a stack, and its line if that is known.
struct Frame<'a> {
    function: &'a str,
    directory: &'a str,
    file: &'a str,
    line: &'a str,
}

impl Frame<'_> {
    fn place(&self) -> String {
        match self.file {
            "" => self.function.to_owned(),
            file => format!("{file}:{} ({})", self.line, self.function),
        }
    }
}

/// A report that is being read.
#[derive(Default)]
struct Reading<'a> {
    kind: String,
    stacks: Vec<Vec<Frame<'a>>>,
}

impl Reading<'_> {
    /// The line of a stack is that of the program itself: not of the C library, nor of what the detector puts in its place.
    fn finding(&self, sources: &Path) -> Finding {
        let own = |frame: &&Frame<'_>| Path::new(frame.directory).starts_with(sources);
        let stacks = self.stacks.iter().filter(|stack| !stack.is_empty()).take(MOST_PLACES);
        let tops = stacks.filter_map(|stack| stack.iter().find(own).or(stack.first()));
        let mut places: Vec<String> = tops.map(Frame::place).collect();
        // Which of the two came first is chance.
        places.sort();
        Finding { kind: self.kind.clone(), places }
    }
}

/// Sections of its reports that are about where something came from. If a thread is what was lost, where it came from is all there is.
fn is_background(kind: &str, header: &str) -> bool {
    let is_of_thread = header.starts_with("Thread ") && kind != "thread leak";
    is_of_thread
        || ["Location is", "As if synchronized", "Cycle in", "Hint:"].iter().any(|start| header.starts_with(start))
        || header.ends_with("created at:")
}

fn of_sanitizer(text: &str, sources: &Path) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut open: Option<Reading<'_>> = None;
    let mut counts = false;
    for line in text.lines().map(str::trim) {
        if let Some(kind) = line.strip_prefix("WARNING: ThreadSanitizer: ") {
            let kind = kind.split(" (pid=").next().unwrap_or(kind);
            open = Some(Reading { kind: kind.to_owned(), stacks: Vec::new() });
        } else if line.starts_with("SUMMARY:") {
            findings.extend(open.take().map(|report| report.finding(sources)));
        } else if let Some(report) = &mut open {
            if !line.starts_with('#') {
                counts = !line.is_empty() && !is_background(&report.kind, line);
                report.stacks.extend(counts.then(Vec::new));
            } else if let Some(stack) = report.stacks.last_mut().filter(|_| counts) {
                stack.extend(frame_of_sanitizer(line));
            }
        }
    }
    findings
}

/// `#0 function /directory/file:line:column (module+offset)`, or `<null>` in the place of the file.
fn frame_of_sanitizer(line: &str) -> Option<Frame<'_>> {
    let mut words = line.split_whitespace().skip(1);
    let (function, path) = (words.next()?, words.next()?);
    let unknown = Frame { function, directory: "", file: "", line: "" };
    let Some((directory, rest)) = path.rsplit_once('/') else { return Some(unknown) };
    let mut parts = rest.split(':');
    let (file, line) = (parts.next()?, parts.next().unwrap_or_default());
    Some(Frame { function, directory, file, line })
}

/// Its XML has one element in a line, so that the few that count can be told without a parser.
fn of_helgrind(text: &str, sources: &Path) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut open: Option<Reading<'_>> = None;
    let mut counts = false;
    for line in text.lines().map(str::trim) {
        if line == "<error>" {
            open = Some(Reading::default());
            counts = true;
        } else if line == "</error>" {
            findings.extend(open.take().map(|report| report.finding(sources)));
        }
        let Some(report) = &mut open else { continue };
        if let Some(kind) = element(line, "kind") {
            report.kind = if kind == "Race" { "data race".to_owned() } else { kind.to_owned() };
        } else if let Some(words) = element(line, "text").filter(|_| report.kind == "Misc") {
            // What is wrong is in its words only, behind `Thread #1: `.
            report.kind = words.split_once(": ").map_or(words, |(_, what)| what).to_owned();
        } else if line.starts_with("<auxwhat>") {
            // Whose stack comes next: where a block came from, say. Of an order of locks, it is the other thread's second.
            counts = line.contains("followed by a later acquisition");
        } else if line == "<xauxwhat>" {
            counts = true;
        } else if line == "<stack>" && counts {
            report.stacks.push(Vec::new());
        } else if let Some(stack) = report.stacks.last_mut().filter(|_| counts) {
            if line == "<frame>" {
                stack.push(Frame { function: "?", directory: "", file: "", line: "" });
            }
            let Some(frame) = stack.last_mut() else { continue };
            let fields = [
                ("fn", &mut frame.function),
                ("dir", &mut frame.directory),
                ("file", &mut frame.file),
                ("line", &mut frame.line),
            ];
            for (name, field) in fields {
                if let Some(value) = element(line, name) {
                    *field = value;
                }
            }
        }
    }
    findings
}

fn element<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let inside = line.strip_prefix('<')?.strip_prefix(name)?.strip_prefix('>')?;
    inside.strip_suffix('>')?.strip_suffix(name)?.strip_suffix("</")
}
