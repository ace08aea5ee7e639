//! Programs of Debian at the same work, predicted from a recording and watched by two detectors.
//!
//! Each (`tests/real/programs`) is built with `ordain cc` and for each detector (`detectors`), and compresses the same file. The detectors say
//! what they see in several runs; `ordain predict` what the recording of one could have shown. Every witness is replayed, in the machine. Some
//! are there a second time, with a race (`tests/real/racy`), which has to be predicted. What each of the three said is listed below the
//! table, a line for each, to be compared.

use super::answer::{Answer, Bug, shown};
use super::detectors::{Detector, RUNS, Seen};
use super::recipe::Recipe;
use super::{Failure, ORDAIN, most_seconds};
use std::path::Path;
use std::process::{Command, Stdio};

/// What is compressed: enough for three jobs.
const INPUT_BYTES: usize = 96 * 1024;
const DETECTORS: [Detector; 2] = [Detector::ThreadSanitizer, Detector::Helgrind];
/// It has a race, which the detectors must see for their silence to mean something.
const RACY: &str = "bench/predicted/scale/cache.c";
/// As it is, one thread is mostly done before the next begins, and ThreadSanitizer sees the race in few runs.
const LONG: &str = "-DLOOKUPS=200000";
/// How `replay` ends if the witness fails as it claims.
const REPRODUCED: i32 = 1;

/// Whether every witness fails again, and the races that are known are predicted.
pub fn measure(root: &Path, recipes: &[Recipe]) -> Result<bool, Failure> {
    let directory = root.join("target/real");
    for detector in DETECTORS {
        let home = tempfile::tempdir()?;
        detector.try_on(&root.join(RACY), LONG, &detector.compiler(&directory)?, home.path())?;
    }
    println!(
        "\n{:<12} | {:>7} {:>6} | {:>8} {:>6} | {:>9} {:>7} {:>10} {:>11} {:>8} {:>8}  bugs",
        "real", "tsan", "s", "helgrind", "s", "points", "windows", "candidates", "unconfirmed", "s", "replayed"
    );
    let mut well = true;
    let mut said = Vec::new();
    for recipe in recipes {
        let row = Row::new(root, &directory, recipe)?;
        println!("{}", row.line(recipe));
        well &= row.replayed() == row.bugs.len() && row.has_what_is_known(recipe);
        said.extend(row.said(recipe));
    }
    println!("\nwhat each says, the detectors in {RUNS} runs");
    said.iter().for_each(|line| println!("{line}"));
    Ok(well)
}

struct Row {
    seen: Vec<(Detector, Seen)>,
    answer: Answer,
    /// Each bug in words, and whether its witness failed again.
    bugs: Vec<(String, bool)>,
}

impl Row {
    fn new(root: &Path, directory: &Path, recipe: &Recipe) -> Result<Row, Failure> {
        let home = tempfile::tempdir()?;
        let input = home.path().join("input");
        std::fs::write(&input, &super::data::data()[..INPUT_BYTES])?;
        let mut args = recipe.compress.clone();
        args.push(input.display().to_string());

        let mut seen = Vec::new();
        for detector in DETECTORS {
            let place = format!("predict-{}{}", detector.name(), if recipe.races.is_some() { "-racy" } else { "" });
            let compiler = detector.compiler(directory)?.display().to_string();
            let executable = recipe.make_with(root, directory, &place, &compiler)?;
            let sources = directory.join(&place).join(&recipe.name);
            seen.push((detector, detector.watch(&executable, &args, &sources, home.path())?));
        }

        let build = if recipe.races.is_some() { "racy" } else { "build" };
        let executable = recipe.make_with(root, directory, build, &format!("{ORDAIN} cc"))?;
        let log = home.path().join("log");
        record(&executable, &args, &log)?;
        // A recording has what the run read.
        std::fs::remove_file(&input)?;
        let witnesses = home.path().join("witnesses");
        std::fs::create_dir(&witnesses)?;
        let mut command = Command::new(ORDAIN);
        command.arg("predict").arg(&log).args(["--json", "--time"]).arg(most_seconds().to_string());
        let answer = Answer::to(command.arg("-o").arg(&witnesses))?;
        let sources = directory.join(build).join(&recipe.name);
        let bugs = answer.bugs().iter().map(|bug| (in_words(bug, &sources), fails_again(bug, &witnesses))).collect();
        Ok(Row { seen, answer, bugs })
    }

    fn replayed(&self) -> usize {
        self.bugs.iter().filter(|(_, replayed)| *replayed).count()
    }

    fn has_what_is_known(&self, recipe: &Recipe) -> bool {
        let is_it = |bug: &str, file: &str| bug.starts_with("race ") && bug.contains(file);
        recipe.races.as_ref().is_none_or(|file| self.bugs.iter().any(|(bug, _)| is_it(bug, file)))
    }

    fn line(&self, recipe: &Recipe) -> String {
        let Row { seen, answer, bugs } = self;
        let seen: Vec<String> = seen
            .iter()
            .map(|(detector, seen)| {
                let width = detector.name().len().max(7);
                format!("| {:>width$} {:>6.1} ", seen.findings.len(), seen.seconds)
            })
            .collect();
        format!(
            "{:<12} {}| {:>9} {:>7} {:>10} {:>11} {:>8} {:>8}  {}{}",
            label(recipe),
            seen.concat(),
            shown(answer.stat("points")),
            shown(answer.stat("windows")),
            shown(answer.stat("candidates")),
            shown(answer.stat("unconfirmed")),
            shown(answer.seconds().map(|seconds| format!("{seconds:.1}"))),
            format!("{}/{}", self.replayed(), bugs.len()),
            shown(answer.bugs_by_kind()),
            answer.reason.as_ref().map_or_else(String::new, |reason| format!(" ({reason})")),
        )
    }

    /// A line for everything that was said about the program.
    fn said(&self, recipe: &Recipe) -> Vec<String> {
        let mut lines = Vec::new();
        let mut line = |who: &str, what: String| lines.push(format!("{:<12} {who:<8} {what}", label(recipe)));
        for (detector, seen) in &self.seen {
            for (finding, times) in &seen.findings {
                let reports = if *times == 1 { "report" } else { "reports" };
                line(
                    detector.name(),
                    format!("{} at {}, {times} {reports}", finding.kind, finding.places.join(" and ")),
                );
            }
            if seen.findings.is_empty() {
                line(detector.name(), "nothing".to_owned());
            }
        }
        for (bug, replayed) in &self.bugs {
            line("ordain", format!("{bug}{}", if *replayed { ", replayed" } else { ", NOT REPLAYED" }));
        }
        if self.bugs.is_empty() {
            let reason = self.answer.reason.as_deref().map_or_else(String::new, |reason| format!(" ({reason})"));
            // A run that it refuses is not one in which it finds nothing.
            let answer = if self.answer.stat("points").is_some() { "nothing" } else { "no answer" };
            line("ordain", format!("{answer}{reason}"));
        }
        lines
    }
}

fn label(recipe: &Recipe) -> String {
    format!("{}{}", recipe.name, if recipe.races.is_some() { ", racy" } else { "" })
}

fn in_words(bug: &Bug<'_>, sources: &Path) -> String {
    // Files of the program are named by themselves, as for the detectors.
    let message = bug.message().replace(&format!("{}/", sources.display()), "");
    format!("{} at {}: {message}", bug.kind(), bug.place(sources))
}

fn record(executable: &Path, args: &[String], log: &Path) -> Result<(), Failure> {
    let mut command = Command::new(ORDAIN);
    command.arg("record").arg(executable).arg("-o").arg(log).arg("--").args(args);
    let output = command.stdin(Stdio::null()).output()?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)).into()),
    }
}

/// Whether the witness of a bug fails as it claims, in the machine.
fn fails_again(bug: &Bug<'_>, witnesses: &Path) -> bool {
    let Some(witness) = bug.witness() else { return false };
    let mut command = Command::new(ORDAIN);
    command.args(["replay", "--vm", "-q"]).arg(witnesses.join(witness));
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.code() == Some(REPRODUCED))
}
