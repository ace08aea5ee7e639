//! Real programs, fetched from Debian and built with `ordain cc`, are recorded at work, and what they did is shown again from the log alone.
//!
//! Some have a bug, by a change in one place (`tests/real/seeded`), and are recorded until they fail. The others (`tests/real/programs`) do what
//! they should; that they end well is what is reproduced then.

use super::recipe::{Recipe, recipes};
use super::{ENDS_WELL, FAILS, Failure, ORDAIN, REPLAYS, Reproduced, record, replay, size_of};
use std::path::Path;

/// What is compressed: enough for three jobs.
const INPUT_BYTES: usize = 96 * 1024;
/// So often what a program did that did not fail is replayed.
const FEW_REPLAYS: u32 = 3;
const ENDING_WELL: [&str; 2] = ["--fail-on", "0"];

/// Records, reproduces and replays all of them; whether each of them does the same every time.
pub fn measure(root: &Path) -> Result<bool, Failure> {
    let directory = root.join("target/real");
    println!(
        "\n{:<14} {:>7} {:>9} {:>8} {:>11} {:>8} {:>9} {:>8}  end",
        "real", "threads", "points", "s", "preemptions", "switches", "log", "replayed"
    );
    let mut well = true;
    let compiler = format!("{ORDAIN} cc");
    for recipe in recipes(root, "seeded")? {
        let executable = recipe.make_with(root, &directory, "seeded", &compiler)?;
        well &= Case { name: format!("{} (seeded)", recipe.name), recipe, options: &[], replays: REPLAYS }
            .row(&executable)?;
    }
    for recipe in recipes(root, "programs")? {
        let executable = recipe.make_with(root, &directory, "build", &compiler)?;
        let (name, options) = (recipe.name.clone(), &ENDING_WELL);
        well &= Case { name, recipe, options, replays: FEW_REPLAYS }.row(&executable)?;
    }
    Ok(well)
}

struct Case {
    name: String,
    recipe: Recipe,
    /// What counts as a failure, for `record` and `reproduce`.
    options: &'static [&'static str],
    replays: u32,
}

impl Case {
    fn row(&self, executable: &Path) -> Result<bool, Failure> {
        let home = tempfile::tempdir()?;
        let input = home.path().join("input");
        std::fs::write(&input, &super::data::data()[..INPUT_BYTES])?;
        let log = record(executable, home.path(), |command| {
            command.args(self.options).arg("--").args(&self.recipe.compress).arg(&input);
        })?;
        // A reproduced run needs nothing from outside.
        std::fs::remove_file(&input)?;
        let reproduced = Reproduced::new(&log, home.path(), self.options)?;
        let Some(witness) = &reproduced.witness else {
            println!(
                "{:<14} not reproduced in {:.1} s: {}",
                self.name, reproduced.seconds, reproduced.report["reason"]
            );
            return Ok(false);
        };
        let code = if self.options.is_empty() { FAILS } else { ENDS_WELL };
        let replayed = (0..self.replays).map(|_| replay(witness, code)).filter(|replayed| *replayed).count();
        println!(
            "{:<14} {:>7} {:>9} {:>8.1} {:>11} {:>8} {:>9} {:>8}  {}",
            self.name,
            threads_of(&log)?,
            reproduced.number("points"),
            reproduced.seconds,
            reproduced.preemptions(),
            reproduced.number("switches"),
            size_of(&log)?,
            format!("{replayed}/{}", self.replays),
            self.end(&reproduced),
        );
        Ok(replayed as u32 == self.replays)
    }

    /// How the run ended, in words.
    fn end(&self, reproduced: &Reproduced) -> String {
        let bug = &reproduced.report["bugs"][0];
        if !self.options.is_empty() {
            return "as it should".to_owned();
        }
        let file = Path::new(bug["file"].as_str().unwrap_or_default()).file_name().unwrap_or_default();
        format!("{} at {}:{}", bug["kind"].as_str().unwrap_or_default(), file.display(), bug["line"])
    }
}

fn threads_of(log: &Path) -> Result<usize, Failure> {
    let mut threads = 0;
    for entry in std::fs::read_dir(log)? {
        threads += usize::from(entry?.path().extension().is_some_and(|extension| extension == "path"));
    }
    Ok(threads)
}
