//! Random schedules of the repository's test programs find only what their first lines say there is to find.

mod c_programs;

use c_programs::{Compiled, collection, compile_file, headers};
use ordain_model::failure::{Failure, FailureKind};
use ordain_model::witness::MemoryModel;
use ordain_vm::schedulers::{Follow, Outcome, Pct, Scheduler, StoreBuffers, run};
use ordain_vm::{Config, End, Inputs, Machine, RaceMode};
use std::collections::BTreeSet;

const RUNS: u64 = 200;
const LIMIT: u64 = 5_000;

/// One build of a program, with what is expected of it.
struct Case {
    cflags: Vec<String>,
    memory: MemoryModel,
    spurious: bool,
    kinds: Option<Vec<String>>,
    /// `kind:line` or `kind:line-line`; none means safe.
    bugs: Vec<String>,
}

/// A file has one case, or several that each start with `// case:`; what comes before holds for all.
fn cases(text: &str) -> Vec<Case> {
    let header: Vec<&str> = text.lines().take_while(|line| line.starts_with("//")).collect();
    let mut parts: Vec<Vec<&str>> = vec![Vec::new()];
    for line in header {
        if line.starts_with("// case:") {
            parts.push(Vec::new());
        }
        if let Some(part) = parts.last_mut() {
            part.push(line);
        }
    }
    let common = parts.remove(0);
    if parts.is_empty() {
        parts.push(Vec::new());
    }
    parts.into_iter().map(|part| case(&[common.clone(), part].concat().join("\n"))).collect()
}

fn case(header: &str) -> Case {
    let words = |key: &str| headers(header, key).last().map(|v| v.split([' ', ',']).map(str::to_owned).collect());
    let bugs: Vec<String> = words("explore").unwrap_or_default();
    Case {
        cflags: words("cflags").unwrap_or_default(),
        memory: match headers(header, "memory").last() {
            Some(&"tso") => MemoryModel::Tso,
            Some(&"pso") => MemoryModel::Pso,
            _ => MemoryModel::Sc,
        },
        spurious: headers(header, "spurious").last() != Some(&"off"),
        kinds: words("check"),
        bugs: bugs.into_iter().filter(|word| word.contains(':')).collect(),
    }
}

/// As in the first lines of the programs. Threads in joins are not what deadlocks are named after.
fn in_short(failure: &Failure) -> Vec<String> {
    let mut lines: Vec<u32> = failure.others.iter().map(|(_, place)| place.line).collect();
    lines.push(failure.place.line);
    lines.sort_unstable();
    let line = |l: &u32| format!("{}:{l}", failure.kind);
    match failure.kind {
        FailureKind::Race => vec![format!("race:{}-{}", lines[0], lines[1])],
        FailureKind::Deadlock | FailureKind::Hang => {
            let mut names: Vec<String> = lines.iter().map(line).collect();
            for (i, a) in lines.iter().enumerate() {
                names.extend(lines[i + 1..].iter().map(|b| format!("{}:{a}-{b}", failure.kind)));
            }
            names
        }
        _ => vec![line(&lines[0])],
    }
}

fn failures(machine: &Machine<'_>) -> Vec<Failure> {
    let mut found = machine.races().to_vec();
    if let Some(End::Failed(failure)) = machine.end() {
        found.push(failure.clone());
    }
    found
}

/// Runs with the seed, checks that the run can be followed, and returns what went wrong in it.
fn run_once(compiled: &Compiled, case: &Case, seed: u64) -> Vec<Failure> {
    let Case { memory, spurious, .. } = *case;
    let config = Config { memory, spurious, races: RaceMode::Full, record: true, ..Config::default() };
    let mut machine = Machine::alone(&compiled.program, &compiled.facts, config);
    machine.provide_inputs(Inputs::random(seed));
    let mut pct = Pct::new(3, 60, seed);
    let mut random = StoreBuffers::new(seed);
    let scheduler: &mut dyn Scheduler = if seed.is_multiple_of(3) { &mut pct } else { &mut random };
    let outcome = run(&mut machine, scheduler, LIMIT);
    assert!(!matches!(outcome, Outcome::Stopped), "nobody can go on, and the machine did not notice");
    if let Some(End::Unsupported { what, place }) = machine.end() {
        panic!("{what} at {place}");
    }
    let execution = machine.execution();
    let mut again = Machine::alone(&compiled.program, &compiled.facts, config);
    again.provide_inputs(Inputs::of(&execution));
    let mut follow = Follow::new(&execution.schedule);
    run(&mut again, &mut follow, LIMIT);
    assert_eq!(follow.divergence(), None);
    assert_eq!((again.end(), again.log()), (machine.end(), machine.log()));
    failures(&machine)
}

#[test]
fn runs_find_nothing_but_what_is_there() {
    let (mut wrong, mut listed, mut found_of_listed) = (Vec::new(), 0, 0);
    for path in collection("programs") {
        let text = std::fs::read_to_string(&path).expect("readable");
        if text.contains("// explore: unknown") {
            // Runs of it may come to something that the machine gives no meaning to.
            continue;
        }
        for case in cases(&text) {
            let cflags: Vec<&str> = case.cflags.iter().map(String::as_str).collect();
            let compiled = compile_file(&path, &cflags);
            let mut found = BTreeSet::new();
            for seed in 0..RUNS {
                for failure in run_once(&compiled, &case, seed) {
                    if case.kinds.as_ref().is_some_and(|kinds| !kinds.contains(&failure.kind.to_string())) {
                        continue;
                    }
                    let names = in_short(&failure);
                    match names.iter().find(|name| case.bugs.contains(name)) {
                        Some(name) => drop(found.insert(name.clone())),
                        None => wrong.push(format!("{} {cflags:?} seed {seed}: {failure:?}", path.display())),
                    }
                }
            }
            listed += case.bugs.len();
            found_of_listed += found.len();
        }
    }
    assert!(wrong.is_empty(), "not listed:\n{}", wrong.join("\n"));
    // The others need inputs or orders that are too rare for chance.
    assert!(found_of_listed * 3 >= listed * 2, "only {found_of_listed} of {listed} bugs found");
}
