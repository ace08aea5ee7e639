//! Recording with store buffers in software: litmus tests show what their memory model allows, and never what it forbids;
//! mutual exclusion that needs order fails without it; and every log can be followed to its end.

use ordain_instrument::{LOG_VARIABLE, RecordOptions, SEED_VARIABLE, build_recorder};
use ordain_ir::{CompileOptions, Loaded, load};
use ordain_judge::generator::generate_race_free;
use ordain_model::witness::MemoryModel;
use ordain_record::run::RUN_VERSION;
use ordain_record::{Ending, Level, PathEnd, Recording, Run, follow};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// An outcome that is allowed shows within so many runs.
const MOST_RUNS: u64 = 3000;
/// One that is forbidden does not show in so many.
const FORBIDDEN_RUNS: u64 = 20;
const MANY_FORBIDDEN_RUNS: u64 = 400;
const RACE_FREE_PROGRAMS: u64 = 6;
const RACE_FREE_RUNS: u64 = 3;

/// A program that records, and where.
struct Recorder {
    loaded: Loaded,
    memory: MemoryModel,
    table: ordain_record::FollowTable,
    executable: PathBuf,
    home: tempfile::TempDir,
}

impl Recorder {
    fn new(source: &Path, cflags: &[&str], memory: MemoryModel) -> Recorder {
        ordain_ir::child::set_helper(PathBuf::from(env!("CARGO_BIN_EXE_ordain-instrument-bitcode")));
        let cflags = cflags.iter().map(|&flag| flag.to_owned()).collect();
        let loaded = load(&[source.to_owned()], &CompileOptions { cflags, ..CompileOptions::default() })
            .unwrap_or_else(|e| panic!("{}: {e}", source.display()));
        let home = tempfile::tempdir().expect("a temporary directory");
        let executable = home.path().join("executable");
        let build = loaded.program.build.0;
        let options = RecordOptions { build, level: Level::Values, memory, private: Vec::new() };
        let table = build_recorder(&loaded.bitcode, &options, &executable)
            .unwrap_or_else(|e| panic!("{}: {e}", source.display()));
        Recorder { loaded, memory, table, executable, home }
    }

    /// Whether it fails.
    fn fails(&self, seed: u64) -> bool {
        let (ending, _) = self.run(seed);
        let failed = matches!(ending, Ending::Signal(_));
        assert!(failed || ending == Ending::Exit(0), "{ending}");
        failed
    }

    /// Runs it, and follows the log of every thread; how it ended, and what it printed.
    fn run(&self, seed: u64) -> (Ending, Vec<u8>) {
        let log = self.home.path().join("log");
        let _ = std::fs::remove_dir_all(&log);
        std::fs::create_dir(&log).expect("a directory can be made");
        let mut command = Command::new(&self.executable);
        command.env_clear().env(LOG_VARIABLE, &log).env(SEED_VARIABLE, seed.to_string());
        let output = command.stdin(Stdio::null()).output().expect("the executable starts");
        let ending = match (output.status.code(), output.status.signal()) {
            (Some(code), _) => Ending::Exit(code),
            (None, signal) => Ending::Signal(signal.unwrap_or_default()),
        };
        self.follow(&log, ending.clone());
        (ending, output.stdout)
    }

    fn follow(&self, log: &Path, ending: Ending) {
        let failed = matches!(ending, Ending::Signal(_));
        let run = Run {
            version: RUN_VERSION,
            build: self.loaded.program.build.0.iter().map(|byte| format!("{byte:02x}")).collect(),
            program: Vec::new(),
            models: Vec::new(),
            cflags: Vec::new(),
            args: Vec::new(),
            log: Level::Values,
            memory: self.memory,
            table: self.table.clone(),
            ending: Some(ending),
            checksums: Default::default(),
        };
        run.write(log).expect("the run can be written");
        let recording = Recording::read(log).expect("the log can be read");
        for thread in &recording.threads {
            let followed = follow(&self.loaded.program, &recording, thread, log)
                .unwrap_or_else(|e| panic!("thread {} cannot be followed: {e}", thread.name));
            assert_eq!(followed.disagreements, 0, "values that were read contradict the path of {}", thread.name);
            // When a thread fails, the others are somewhere.
            let ended = matches!(followed.end, PathEnd::Ended(_)) || failed;
            assert!(ended, "thread {}: {:?}", thread.name, followed.end);
        }
    }

    fn failing_run(&self) -> Option<u64> {
        (0..MOST_RUNS).find(|&seed| self.fails(seed))
    }
}

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests")
}

#[test]
fn litmus_tests_show_what_they_allow() {
    litmus_tests(FORBIDDEN_RUNS);
}

#[test]
#[ignore = "takes minutes: part of `make fuzz`"]
fn litmus_tests_never_show_what_they_forbid() {
    litmus_tests(MANY_FORBIDDEN_RUNS);
}

fn litmus_tests(forbidden_runs: u64) {
    let mut files: Vec<PathBuf> = std::fs::read_dir(tests().join("litmus"))
        .expect("the litmus tests are there")
        .map(|entry| entry.expect("a litmus test").path())
        .collect();
    files.sort();
    let mut shown = Vec::new();
    for file in &files {
        let text = std::fs::read_to_string(file).expect("a litmus test can be read");
        let expected = text.lines().next().and_then(|line| line.strip_prefix("// expect: ")).expect("what to expect");
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for (model, memory) in [("tso", MemoryModel::Tso), ("pso", MemoryModel::Pso)] {
            let recorder = Recorder::new(file, &[], memory);
            if expected.split_whitespace().any(|word| word == format!("{model}=yes")) {
                let runs = recorder.failing_run().unwrap_or_else(|| panic!("{name} does not show under {model}")) + 1;
                shown.push(format!("{name} {model}: {runs}"));
            } else {
                let failing = (0..forbidden_runs).find(|&seed| recorder.fails(seed));
                assert_eq!(failing, None, "{name} is forbidden under {model}");
            }
        }
    }
    println!("runs until each outcome showed: {}", shown.join(", "));
    assert!(shown.len() > 20, "only {} outcomes are allowed", shown.len());
}

/// Whatever the memory model, programs without races do what they always do: nothing is lost on the way to memory.
#[test]
fn programs_without_races_do_not_notice() {
    for seed in 0..RACE_FREE_PROGRAMS {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let source = directory.path().join("program.c");
        let text = generate_race_free(seed).to_c();
        std::fs::write(&source, &text).expect("can be written");
        let expected = Recorder::new(&source, &[], MemoryModel::Sc).run(0);
        for memory in [MemoryModel::Tso, MemoryModel::Pso] {
            let recorder = Recorder::new(&source, &[], memory);
            for run in 0..RACE_FREE_RUNS {
                assert!(recorder.run(run) == expected, "program {seed}, {memory:?}, run {run} differs\n{text}");
            }
        }
    }
}

/// Without fences, the algorithms of Dekker and Peterson let two threads in; with them, never.
#[test]
fn mutual_exclusion_needs_order() {
    for algorithm in ["DEKKER", "PETERSON"] {
        for memory in [MemoryModel::Tso, MemoryModel::Pso] {
            let directory = tempfile::tempdir().expect("a temporary directory");
            let source = directory.path().join("program.c");
            std::fs::write(&source, EXCLUSION).expect("can be written");
            let define = format!("-D{algorithm}");
            let runs = Recorder::new(&source, &[&define, "-DORDER=memory_order_relaxed"], memory).failing_run();
            let runs = runs.unwrap_or_else(|| panic!("{algorithm} never fails under {memory:?}")) + 1;
            println!("{algorithm} fails under {memory:?} in run {runs}");
            let ordered = Recorder::new(&source, &[&define, "-DORDER=memory_order_seq_cst"], memory);
            assert_eq!((0..FORBIDDEN_RUNS).find(|&seed| ordered.fails(seed)), None, "{algorithm} {memory:?}");
        }
    }
}

const EXCLUSION: &str = "#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#define SET(place, value) atomic_store_explicit(&(place), (value), ORDER)
#define GET(place) atomic_load_explicit(&(place), ORDER)
static _Atomic int wants[2], turn;
static _Atomic int counter;
static int rounds[2];
/* Without order a thread may wait for ever, too. */
#define PATIENCE 2000
static int enter(int me) {
    int other = 1 - me, patience = PATIENCE;
    SET(wants[me], 1);
#ifdef PETERSON
    SET(turn, other);
    while (GET(wants[other]) && GET(turn) == other && --patience) {
    }
#else
    while (GET(wants[other]) && patience) {
        if (GET(turn) != me) {
            SET(wants[me], 0);
            while (GET(turn) != me && --patience) {
            }
            SET(wants[me], 1);
        }
    }
#endif
    return patience > 0;
}
static void leave(int me) {
#ifndef PETERSON
    SET(turn, 1 - me);
#endif
    SET(wants[me], 0);
}
static void *worker(void *arg) {
    int me = arg != 0;
    for (int round = 0; round < 3; round++) {
        if (!enter(me)) {
            break;
        }
        SET(counter, GET(counter) + 1);
        rounds[me]++;
        leave(me);
    }
    SET(wants[me], 0);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, &turn);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == rounds[0] + rounds[1]);
    return 0;
}
";
