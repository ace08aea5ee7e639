//! What the logs of recorded runs survive: processes that are killed at any moment, and damage of every file.
//!
//! Few rounds of each in an ordinary test run, many in `make fuzz`. Logs are read and followed in this process, where a panic
//! is a failure like any other; some go through the command as well, for its exit code and its words.

mod support;

use libtest_mimic::{Arguments, Failed, Trial};
use ordain_ir::program::Program;
use ordain_ir::{CompileOptions, Loaded};
use ordain_record::{FollowError, Followed, LogError, PathEnd, Recording, follow};
use ordain_rt::format::{State, Tag};
use ordain_vm::Rng;
use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use support::recording::{Recorded, expect, expect_code, ordain, words};

/// Moments to be killed at, and damages, in an ordinary test run and in a long one.
const FEW: u64 = 30;
const MANY: u64 = 1000;
/// Of so many logs, one goes through the command as well.
const COMMAND_EVERY: u64 = 10;
/// An address of a function that was damaged may as well be that of a library's, which is not understood.
const NO_FUNCTION: &str = "which is no function of the program";
/// No process lives longer than this, in microseconds; some are killed before they have begun.
const LONGEST_LIFE: usize = 40_000;
const LEVELS: [&str; 3] = ["paths", "addresses", "values"];

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for level in LEVELS {
        for (name, rounds) in [("", FEW / 3), ("_often", MANY.div_ceil(3))] {
            let test = |what: &str, test: fn(&str, u64) -> Result<(), Failed>| {
                Trial::test(format!("{what}{name}/{level}"), move || test(level, rounds))
                    .with_ignored_flag(rounds > FEW)
            };
            trials.push(test("killed", killed));
            trials.push(test("damaged", damaged));
        }
    }
    trials.push(Trial::test("another_build", another_build));
    libtest_mimic::run(&arguments, trials).exit();
}

/// Threads that decide by arithmetic, by memory that they share and by pointers, call through a table, allocate, and write a byte
/// every 64 rounds; others come and go. `stop` makes it end by itself.
const VICTIM: &str = r#"
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct node { struct node *next; int value; };
static struct node *lists[3];
static uint32_t shared;
static int stop;
static int add(int a) { return a + 1; }
static int half(int a) { if (a & 1) return a / 2; return a; }
static int same(int a) { return a; }
static int (*const steps[3])(int) = {add, half, same};
static void push(int mine, int value) {
    struct node *node = malloc(sizeof *node);
    node->value = value;
    node->next = lists[mine];
    lists[mine] = node;
    if (value & 8)
        while (lists[mine]) {
            struct node *first = lists[mine];
            lists[mine] = first->next;
            free(first);
        }
}
static void *loop(void *number) {
    uint32_t state = (uint32_t)(uintptr_t)number + 1;
    int mine = (int)(uintptr_t)number, a = 0;
    for (uint32_t i = 1; !stop || i < 1000; i++) {
        state = state * 1664525 + 1013904223;
        if (state >> 31) shared++;
        switch (state >> 20 & 7) {
        case 1: shared += 3; break;
        case 5: shared ^= state; break;
        default: if (shared & 1) shared--;
        }
        a = steps[state >> 8 & 1 ? 0 : state >> 9 & 1 ? 1 : 2](a);
        push(mine, (int)(state >> 16));
        if (i % 64 == 0)
            write(1, "x", 1);
    }
    return 0;
}
static void *visit(void *arg) { if (shared & 2) shared++; return arg; }
int main(int argc, char **argv) {
    pthread_t threads[2], visitor;
    stop = argc > 1;
    for (uintptr_t i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, loop, (void *)i);
    for (int i = 0; !stop || i < 20; i++) {
        pthread_create(&visitor, 0, visit, 0);
        pthread_join(visitor, 0);
    }
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
}
"#;
/// Those that write.
const WRITERS: u64 = 2;
/// What a writer decides at least between two of its bytes.
const DECISIONS_PER_BYTE: u64 = 64 * 5;

/// The victim, recorded once to its end: its executable can be run again, with logs elsewhere.
struct Victim {
    recorded: Recorded,
    loaded: Loaded,
}

impl Victim {
    fn new(level: &str) -> Result<Victim, Failed> {
        let recorded = Recorded::new(VICTIM)?;
        expect_code(&recorded.record(&["--log", level], &["stop"])?, 0)?;
        // As the run says that it was loaded: the arguments are part of the program.
        let options = CompileOptions { args: vec!["stop".to_owned()], ..CompileOptions::default() };
        let loaded = ordain_ir::load(std::slice::from_ref(&recorded.file), &options)?;
        Ok(Victim { recorded, loaded })
    }

    /// A directory as a recorder leaves it that has started a run and not seen its end.
    fn begin(&self, name: &str) -> Result<PathBuf, Failed> {
        let log = self.recorded.home.path().join(name);
        let _ = std::fs::remove_dir_all(&log);
        std::fs::create_dir(&log)?;
        std::fs::write(log.join("run.json"), open_run(&self.recorded.log())?)?;
        Ok(log)
    }
}

/// A log that nobody has finished: the process ended by itself, its recorder was gone.
fn left_alone(victim: &Victim) -> Result<PathBuf, Failed> {
    let log = victim.begin("alone")?;
    let executable = victim.recorded.log().join("executable");
    let output = Command::new(executable).arg("stop").env("ORDAIN_LOG", &log).stdin(Stdio::null()).output()?;
    expect_code(&output, 0)?;
    Ok(log)
}

/// What `run.json` was before the run ended.
fn open_run(log: &Path) -> Result<String, Failed> {
    let mut run: Value = serde_json::from_str(&std::fs::read_to_string(log.join("run.json"))?)?;
    run["ending"] = Value::Null;
    run["checksums"] = Value::Object(Default::default());
    Ok(run.to_string())
}

/// Reads and follows all of a log.
fn follow_all(program: &Program, log: &Path) -> Result<(Recording, Vec<Followed>), FollowError> {
    let recording = Recording::read(log)?;
    let followed = recording.threads.iter().map(|thread| follow(program, &recording, thread, log));
    let followed = followed.collect::<Result<_, _>>()?;
    Ok((recording, followed))
}

/// Whatever a process was doing: its log is whole up to there.
fn killed(level: &str, rounds: u64) -> Result<(), Failed> {
    let victim = Victim::new(level)?;
    let mut rng = Rng::new(17);
    let mut begun = 0;
    for round in 0..rounds {
        let log = victim.begin("killed")?;
        let mut child = Command::new(victim.recorded.log().join("executable"))
            .env("ORDAIN_LOG", &log)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut output = child.stdout.take().ok_or("no output")?;
        let reader = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            output.read_to_end(&mut bytes).map(|_| bytes.len() as u64)
        });
        // Short lives are as likely as long ones.
        let life = LONGEST_LIFE >> rng.below(8);
        std::thread::sleep(Duration::from_micros(rng.below(life) as u64));
        child.kill()?;
        child.wait()?;
        let written = reader.join().map_err(|_| "the reader panicked")??;
        begun += u64::from(check_killed(&victim, &log, written).map_err(|e| {
            Failed::from(format!("round {round}, after {written} bytes: {}", e.message().unwrap_or_default()))
        })?);
        if round % COMMAND_EVERY == 0 {
            let output = ordain(&["follow"]).arg(&log).output()?;
            let late = words(&output).contains("did not get to its start");
            expect_code(&output, if late { 2 } else { 0 })?;
        }
    }
    // How many depends on how busy the machine is; that some did makes it a test.
    expect(begun * 5 > rounds, "processes to have begun", &format!("{begun} of {rounds}"))
}

/// Whether the process had begun its log. `written` is what is known to have happened, from outside.
fn check_killed(victim: &Victim, log: &Path, written: u64) -> Result<bool, Failed> {
    let (recording, followed) = match follow_all(&victim.loaded.program, log) {
        Err(FollowError::Log(LogError::NotOne { why, .. })) if why.contains("did not get to its start") => {
            return expect(written == 0, "nothing that was written", &written.to_string()).map(|()| false);
        }
        result => result?,
    };
    let entries = recording.threads.iter().flat_map(|thread| &thread.data).filter(|entry| entry.tag == Tag::System);
    let noted = entries.count() as u64;
    // Between a call and its entry, each writer may have been killed.
    expect(noted + WRITERS >= written, &format!("{written} calls, or almost"), &noted.to_string())?;
    let decided: u64 = followed.iter().map(|thread| thread.recorded).sum();
    let least = written.saturating_sub(WRITERS) * DECISIONS_PER_BYTE;
    expect(decided >= least, &format!("at least {least} decisions"), &decided.to_string())?;
    for thread in &followed {
        let right = match thread.end {
            PathEnd::Ended(state) => state == State::Returned && thread.stack.is_empty(),
            PathEnd::BeforeDecision(state) => state == State::Running,
            PathEnd::Cut => false,
        };
        expect(right && thread.disagreements == 0, "a thread that was running or returned", &format!("{thread:?}"))?;
    }
    Ok(true)
}

/// Something that can happen to a file.
fn damage(rng: &mut Rng, bytes: &mut Vec<u8>) {
    // Most of it near the beginning, where headers are, or where there is something at all.
    let used = bytes.iter().rposition(|&byte| byte != 0).map_or(1, |last| last + 1);
    let end = [used, used.min(512), bytes.len().max(1)][rng.below(3)];
    let at = rng.below(end);
    match rng.below(6) {
        0 | 1 => {
            for _ in 0..=rng.below(4) {
                if let Some(byte) = bytes.get_mut(rng.below(end)) {
                    *byte ^= 1 << rng.below(8);
                }
            }
        }
        2 => bytes.truncate(at),
        3 => bytes.truncate(at / 8 * 8),
        4 => bytes.iter_mut().skip(at).take(1 + rng.below(64)).for_each(|byte| *byte = rng.next_u64() as u8),
        _ => {
            let piece: Vec<u8> = (0..8 * (1 + rng.below(16))).map(|_| rng.next_u64() as u8).collect();
            let at = at.min(bytes.len());
            bytes.splice(at..at, piece);
        }
    }
}

/// Whatever happened to a file: it is refused with a reason, or what is left is followed. Half of the logs are finished, with
/// checksums; the others are not.
fn damaged(level: &str, rounds: u64) -> Result<(), Failed> {
    let victim = Victim::new(level)?;
    let mut rng = Rng::new(5);
    let files_of = |log: &Path| -> Result<Vec<PathBuf>, Failed> {
        let files = std::fs::read_dir(log)?.map(|entry| entry.map(|entry| entry.path()));
        let mut files: Vec<PathBuf> = files.collect::<Result<_, _>>()?;
        files.retain(|file| !file.ends_with("executable"));
        files.sort();
        Ok(files)
    };
    let logs = [files_of(&left_alone(&victim)?)?, files_of(&victim.recorded.log())?];
    let mut refused = 0;
    for round in 0..rounds {
        let sealed = rng.below(2) == 1;
        let files = &logs[usize::from(sealed)];
        let log = victim.begin("damaged")?;
        for file in files {
            std::fs::copy(file, log.join(file.file_name().ok_or("a file without a name")?))?;
        }
        // Files of threads are many; the others have their turn as well.
        let file = match rng.below(4) {
            0 => log.join("run.json"),
            1 => log.join(["functions", "0.path", "0.data"][rng.below(3)]),
            _ => log.join(files[rng.below(files.len())].file_name().ok_or("a file without a name")?),
        };
        let mut bytes = std::fs::read(&file)?;
        let before = bytes.clone();
        damage(&mut rng, &mut bytes);
        std::fs::write(&file, &bytes)?;
        let describe = |e: &dyn std::fmt::Display| format!("round {round}, {}: {e}", file.display());
        match follow_all(&victim.loaded.program, &log) {
            Ok(_) => {
                let noticed = sealed && bytes != before && !file.ends_with("run.json");
                expect(!noticed, "that a finished log has changed", &describe(&"nothing"))?;
            }
            Err(FollowError::NotUnderstood { what, .. }) => {
                expect(what.contains(NO_FUNCTION), NO_FUNCTION, &describe(&what))?;
            }
            Err(error) => {
                refused += 1;
                let said = error.to_string();
                expect(said.contains(&*log.to_string_lossy()), "the name of a file", &describe(&said))?;
            }
        }
        if round % COMMAND_EVERY == 0 {
            let output = ordain(&["follow"]).arg(&log).output()?;
            let code = output.status.code();
            let right = matches!(code, Some(0 | 2)) || code == Some(3) && words(&output).contains(NO_FUNCTION);
            expect(right, "an answer or a refusal", &describe(&words(&output)))?;
        }
    }
    expect(refused * 3 > rounds, "that many are refused", &format!("{refused} of {rounds}"))
}

/// A log, and the file of a thread, that belong to another build: refused by its hash, with or without checksums.
fn another_build() -> Result<(), Failed> {
    let one = Recorded::new("int main(int argc, char **argv) { return argc > 1; }")?;
    let other = Recorded::new("int main(int argc, char **argv) { return argc > 2; }")?;
    expect_code(&one.record(&[], &[])?, 0)?;
    expect_code(&other.record(&[], &[])?, 0)?;
    std::fs::write(one.log().join("run.json"), open_run(&one.log())?)?;
    expect_code(&one.follow()?, 0)?;
    for file in ["0.path", "0.data", "0.values"] {
        let own = std::fs::read(one.log().join(file))?;
        std::fs::copy(other.log().join(file), one.log().join(file))?;
        let output = one.follow()?;
        expect_code(&output, 2)?;
        let said = words(&output);
        expect(said.contains(file) && said.contains("another build"), "that it is another build's", &said)?;
        std::fs::write(one.log().join(file), own)?;
    }
    expect_code(&one.follow()?, 0)?;
    // The program has changed since.
    std::fs::copy(&other.file, &one.file)?;
    let output = one.follow()?;
    expect_code(&output, 2)?;
    expect(words(&output).contains("another build"), "that it is another build's", &words(&output))
}
