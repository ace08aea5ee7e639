//! Real programs with a bug: fetched from Debian, changed in one place (`tests/real/seeded`), built with `ordain cc`, and recorded at
//! work until they fail.

use super::recipe::{Recipe, recipes};
use super::{Failure, REPLAYS, Reproduced, record, replay, size_of};
use std::path::Path;

/// What is compressed: enough for three jobs.
const INPUT_BYTES: usize = 96 * 1024;

/// Records, reproduces and replays all of them; whether each of them fails every time.
pub fn measure(root: &Path) -> Result<bool, Failure> {
    let directory = root.join("target/real");
    println!(
        "\n{:<8} {:>9} {:>9} {:>8} {:>11} {:>8} {:>9} {:>8}  found",
        "real", "threads", "points", "s", "preemptions", "switches", "log", "replayed"
    );
    let mut well = true;
    for recipe in recipes(root, "seeded")? {
        let executable = recipe.make_with(root, &directory, "seeded", &format!("{} cc", super::ORDAIN))?;
        well &= row(&recipe, &executable)?;
    }
    Ok(well)
}

fn row(recipe: &Recipe, executable: &Path) -> Result<bool, Failure> {
    let home = tempfile::tempdir()?;
    let input = home.path().join("input");
    std::fs::write(&input, &super::data::data()[..INPUT_BYTES])?;
    let log = record(executable, home.path(), |command| {
        command.arg("--").args(&recipe.compress).arg(&input);
    })?;
    // A reproduced run needs nothing from outside.
    std::fs::remove_file(&input)?;
    let reproduced = Reproduced::new(&log, home.path())?;
    let Some(witness) = &reproduced.witness else {
        println!("{:<8} not reproduced in {:.1} s: {}", recipe.name, reproduced.seconds, reproduced.report["reason"]);
        return Ok(false);
    };
    let replayed = (0..REPLAYS).map(|_| replay(witness)).filter(|replayed| *replayed).count();
    let (bug, threads) = (&reproduced.report["bugs"][0], threads_of(&log)?);
    println!(
        "{:<8} {threads:>9} {:>9} {:>8.1} {:>11} {:>8} {:>9} {:>8}  {} at {}:{}",
        recipe.name,
        reproduced.number("points"),
        reproduced.seconds,
        reproduced.preemptions(),
        reproduced.number("switches"),
        size_of(&log)?,
        format!("{replayed}/{REPLAYS}"),
        bug["kind"].as_str().unwrap_or_default(),
        bug["file"].as_str().unwrap_or_default(),
        bug["line"],
    );
    Ok(replayed as u32 == REPLAYS)
}

fn threads_of(log: &Path) -> Result<usize, Failure> {
    let mut threads = 0;
    for entry in std::fs::read_dir(log)? {
        threads += usize::from(entry?.path().extension().is_some_and(|extension| extension == "path"));
    }
    Ok(threads)
}
