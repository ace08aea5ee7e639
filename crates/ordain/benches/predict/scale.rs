//! How the time of a prediction grows with the length of the run.
//!
//! Kernels of different kinds, each in sizes that make runs of about 10^4, 10^5, 10^6 points; and 10^7 for the filters alone, which say where
//! to look. If time per event is the same for each size, it grows as the run does.

use super::answer::{Answer, shown};
use super::{Failure, ORDAIN, most_seconds};
use std::path::Path;
use std::process::Command;

struct Kernel {
    file: &'static str,
    flags: &'static str,
    /// What decides on its size, and the sizes.
    parameter: &'static str,
    sizes: [u32; 4],
}

const KERNELS: [Kernel; 4] = [
    // Bounded queues and conditions; one race.
    Kernel { file: "bench/predicted/scale/pipeline.c", flags: "", parameter: "ITEMS", sizes: [81, 813, 8130, 81_300] },
    // A read-write lock; one race.
    Kernel {
        file: "bench/predicted/scale/cache.c",
        flags: "",
        parameter: "LOOKUPS",
        sizes: [110, 1980, 20_300, 202_000],
    },
    // Striped locks, and memory that comes and goes; nothing is wrong.
    Kernel {
        file: "bench/shared/hash.c",
        flags: "-DTHREADS=4 ",
        parameter: "ROUNDS",
        sizes: [425, 3550, 23_900, 197_000],
    },
    // Atomics; nothing is wrong.
    Kernel {
        file: "bench/shared/graph.c",
        flags: "-DTHREADS=4 ",
        parameter: "NODES",
        sizes: [232, 2325, 23_255, 232_550],
    },
];
/// Of these sizes only the filters are measured.
const FILTERS_ONLY: usize = 3;
/// Threads take turns at random: if each went on until it has to wait, they would hardly meet.
const SCHEDULE: [&str; 2] = ["--random", "1"];

pub fn measure(root: &Path) -> Result<(), Failure> {
    println!(
        "\n{:<10} {:>9} | {:>10} {:>6} | {:>10} {:>6} | {:>8} {:>7} {:>10}  bugs",
        "scale", "points", "filters /s", "ratio", "whole /s", "ratio", "s", "windows", "candidates"
    );
    for kernel in &KERNELS {
        let mut before = None;
        for (nth, size) in kernel.sizes.iter().enumerate() {
            before = Some(kernel.row(root, *size, nth == FILTERS_ONLY, before.as_ref())?);
        }
    }
    Ok(())
}

/// Milliseconds of an event: in the filters, and in all.
struct Cost {
    filters: Option<f64>,
    whole: Option<f64>,
}

impl Kernel {
    fn row(&self, root: &Path, size: u32, filters_only: bool, before: Option<&Cost>) -> Result<Cost, Failure> {
        let witnesses = tempfile::tempdir()?;
        let mut command = self.command("predict", root, size);
        command.args(["--time", &most_seconds().to_string(), "-o"]).arg(witnesses.path());
        command.args(filters_only.then_some("--filters-only"));
        let answer = Answer::to(&mut command)?;
        let points = match answer.stat("points") {
            Some(points) => Some(points),
            // Whoever refuses a run does not say how long it was.
            None => Answer::to(&mut self.command("run", root, size))?.stat("points"),
        };
        let per_event = |milliseconds: u64| Some(milliseconds as f64 / points.filter(|points| *points > 0)? as f64);
        let filters = answer.stat("milliseconds_of_filters");
        // Without clang, which takes longer than a short run.
        let whole =
            ["milliseconds_of_run", "milliseconds_of_filters", "milliseconds_of_search"].map(|n| answer.stat(n));
        let whole: Option<u64> = if filters_only { None } else { whole.into_iter().sum() };
        let cost = Cost { filters: filters.and_then(per_event), whole: whole.and_then(per_event) };
        let rate =
            |cost: Option<f64>| shown(cost.filter(|cost| *cost > 0.0).map(|cost| format!("{:.0}", 1000.0 / cost)));
        let ratio = |now: Option<f64>, before: Option<f64>| {
            let ratio = now.zip(before.filter(|before| *before > 0.0)).map(|(now, before)| now / before);
            shown(ratio.map(|ratio| format!("{ratio:.2}")))
        };
        let name = Path::new(self.file).file_stem().unwrap_or_default();
        println!(
            "{:<10} {:>9} | {:>10} {:>6} | {:>10} {:>6} | {:>8} {:>7} {:>10}  {}{}",
            name.display(),
            shown(points),
            rate(cost.filters),
            ratio(cost.filters, before.and_then(|before| before.filters)),
            rate(cost.whole),
            ratio(cost.whole, before.and_then(|before| before.whole)),
            shown(answer.seconds().map(|seconds| format!("{seconds:.2}"))),
            shown(answer.stat("windows")),
            shown(answer.stat("candidates")),
            shown(if filters_only { None } else { answer.bugs_by_kind() }),
            answer.reason.as_ref().map_or_else(String::new, |reason| format!(" ({reason})")),
        );
        Ok(cost)
    }

    fn command(&self, name: &str, root: &Path, size: u32) -> Command {
        let Kernel { file, flags, parameter, .. } = self;
        let mut command = Command::new(ORDAIN);
        command.arg(name).arg("--json").args(SCHEDULE).arg(root.join(file));
        command.arg(format!("--cflags={flags}-D{parameter}={size}"));
        command
    }
}
