//! `ordain record` and `ordain follow`: programs are recorded, and every thread's log is followed to its end.
//!
//! Every program of `tests/programs` is one test; all but a few of them are for `make fuzz`. The others are about how runs
//! end, what the log survives, and what is refused.

mod support;

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use support::Case;
use support::recording::{LOOPS, Recorded, expect, expect_code, ordain, words};

/// Of the programs, every so many-th takes part in an ordinary test run.
const SAMPLE: usize = 8;
/// Programs that deadlock are given so long.
const HANG_AFTER: &str = "2";

/// Programs that fail every few runs are run so often.
const MOST_ATTEMPTS: &str = "200";

type Test = fn() -> Result<(), Failed>;
/// The kind and line of a bug.
type Bug = (&'static str, u64);

fn main() {
    let arguments = Arguments::from_args();
    let mut trials: Vec<Trial> = support::all_cases()
        .into_iter()
        .enumerate()
        .map(|(nth, case)| {
            let name = format!("programs/{}", case.name);
            Trial::test(name, move || program(&case)).with_ignored_flag(nth % SAMPLE != 0)
        })
        .collect();
    trials.extend(failing_programs().into_iter().map(|case| {
        let name = format!("fails/{}", case.file.file_stem().unwrap_or_default().to_string_lossy());
        Trial::test(name, move || fails_at_some_time(&case))
    }));
    let others: [(&str, Test); 14] = [
        ("kernels", kernels),
        ("ends", ends),
        ("statuses_that_fail", statuses_that_fail),
        ("attempts", attempts),
        ("hangs", hangs),
        ("killed_at_any_moment", killed_at_any_moment),
        ("recorder_killed", recorder_killed),
        ("no_room", no_room),
        ("limited", limited),
        ("damaged", damaged),
        ("another_build", another_build),
        ("outside", outside),
        ("refused", refused),
        ("unusual_ways", unusual_ways),
    ];
    trials.extend(others.into_iter().map(|(name, test)| Trial::test(name, test)));
    libtest_mimic::run(&arguments, trials).exit();
}

/// Whatever a program does, and however it ends: its log can be followed.
fn program(case: &Case) -> Result<(), Failed> {
    let home = tempfile::tempdir()?;
    let log = home.path().join("log");
    let mut command = ordain(&["record", "--hang-after", HANG_AFTER]);
    command.arg(&case.file).arg("-o").arg(&log);
    if let Some(flags) = &case.cflags {
        command.args(["--cflags", flags]);
    }
    let arguments = case.args.iter().flat_map(|args| args.split_whitespace());
    let output = command.arg("--").args(arguments).output()?;
    match output.status.code() {
        Some(0 | 1) => {}
        Some(3) if words(&output).contains("cancels threads") => return Ok(()),
        _ => return Err(words(&output).into()),
    }
    let output = ordain(&["follow"]).arg(&log).output()?;
    match output.status.code() {
        Some(0) => Ok(()),
        // What the machine does not understand, the follower does not either.
        Some(3) if words(&output).contains("inline assembly") => Ok(()),
        _ => Err(words(&output).into()),
    }
}

/// The programs of `bench/recorded`, with their defaults. Those that are right under sequential consistency need not fail.
fn failing_programs() -> Vec<Case> {
    let mut cases = support::cases_in("bench/recorded");
    cases.retain(|case| case.recorded.is_some() && case.memory.is_none() && !case.name.ends_with("/repaired"));
    cases.dedup_by(|a, b| a.file == b.file);
    cases
}

/// Within some runs it fails as it should, and the log shows it. With luck it would not: that is not held against it.
fn fails_at_some_time(case: &Case) -> Result<(), Failed> {
    let home = tempfile::tempdir()?;
    let log = home.path().join("log");
    let mut command = ordain(&["record", "--json", "--hang-after", "30", "--attempts", MOST_ATTEMPTS]);
    let output = command.arg(&case.file).arg("-o").arg(&log).output()?;
    let report: Value = serde_json::from_slice(&output.stdout).map_err(|_| words(&output))?;
    if let Some(expected) = case.recorded.as_ref().filter(|_| report["verdict"] == "bug") {
        let bug = &report["bugs"][0];
        let line = bug["line"].as_u64().and_then(|line| u32::try_from(line).ok()).unwrap_or_default();
        let right =
            bug["kind"] == expected.kind.name() && (expected.lines.is_empty() || expected.lines.contains(&line));
        expect(right, &format!("{expected:?}"), &report.to_string())?;
    }
    expect_code(&ordain(&["follow"]).arg(&log).output()?, 0)
}

fn kernels() -> Result<(), Failed> {
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/kernels");
    for name in ["compress", "digest", "matmul", "sieve", "tree"] {
        let home = tempfile::tempdir()?;
        let log = home.path().join("log");
        let file = kernels.join(format!("{name}.c"));
        let output = ordain(&["record", "--cflags", "-DPARTS=2"]).arg(file).arg("-o").arg(&log).output()?;
        expect_code(&output, 0)?;
        let output = ordain(&["follow", "--json"]).arg(&log).output()?;
        expect_code(&output, 0)?;
        let report: Value = serde_json::from_slice(&output.stdout)?;
        let stats = &report["stats"];
        expect(stats["threads"] == 3 && stats["ended"] == 3, "three threads that ended", &report.to_string())?;
    }
    Ok(())
}

const ENDS: &str = r#"
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
void reach_error(void);
int zero;
static void *child(void *how) {
    const char *word = how;
    if (strcmp(word, "assertion") == 0)
        assert(zero);                       // line 12
    if (strcmp(word, "abort") == 0)
        abort();
    if (strcmp(word, "error") == 0)
        reach_error();                      // line 16
    if (strcmp(word, "null") == 0)
        *(volatile int *)0 = 1;
    if (strcmp(word, "division") == 0)
        zero = 1000 / zero;
    if (strcmp(word, "exit") == 0)
        exit(0);
    if (strcmp(word, "now") == 0)
        _exit(0);
    if (strcmp(word, "leave") == 0)
        pthread_exit(0);
    return 0;
}
int main(int argc, char **argv) {
    pthread_t thread;
    pthread_create(&thread, 0, child, argv[1]);
    pthread_join(thread, 0);
    return 0;
}
"#;

fn ends() -> Result<(), Failed> {
    let program = Recorded::new(ENDS)?;
    // What it is told, what record ends with, what kind of bug that is and where, what is said of the thread.
    let cases: [(&str, i32, Option<Bug>, &str); 9] = [
        ("return", 0, None, "thread 0.1: 8 decisions, 0 computed; returned"),
        ("assertion", 1, Some(("assertion", 12)), "failed an assertion in child at"),
        ("abort", 1, Some(("abort", 14)), "aborted in child at"),
        ("error", 1, Some(("assertion", 16)), "called an error function in child at"),
        ("null", 1, Some(("null", 0)), "faulted before its next decision"),
        ("division", 1, Some(("division", 0)), "faulted before its next decision"),
        ("exit", 0, None, "ended the process in child at"),
        ("now", 0, None, "ended the process in child at"),
        ("leave", 0, None, "left by pthread_exit in child at"),
    ];
    for (word, code, bug, said) in cases {
        let output = program.record(&["--json"], &[word])?;
        expect_code(&output, code)?;
        let report: Value = serde_json::from_slice(&output.stdout)?;
        let found = &report["bugs"][0];
        match bug {
            None => expect(report["verdict"] == "unknown" && found.is_null(), "no bug", &report.to_string())?,
            Some((kind, line)) => {
                let right = found["kind"] == kind && (line == 0 || found["line"] == line) && found["thread"] == "0.1";
                expect(right && report["verdict"] == "bug", kind, &report.to_string())?;
            }
        }
        let output = program.follow()?;
        expect_code(&output, 0)?;
        expect(words(&output).contains(said), said, &words(&output))?;
    }
    Ok(())
}

fn statuses_that_fail() -> Result<(), Failed> {
    let program = Recorded::new("int main(int argc, char **argv) { return argc; }")?;
    program.check(&[], &["a"], 0)?;
    program.check(&["--fail-on", "2"], &["a"], 1)?;
    program.check(&["--fail-on", "2", "--fail-on", "3"], &["a", "b"], 1)?;
    program.check(&["--fail-on", "2"], &[], 0)?;
    Ok(())
}

/// Counts its runs in a file, and copies its input; fails in the run that it is told.
const COUNTS: &str = r#"
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
    char c;
    int fd = open(argv[1], O_WRONLY | O_CREAT | O_APPEND, 0600);
    write(fd, "x", 1);
    int runs = (int)lseek(fd, 0, SEEK_END);
    close(fd);
    while (read(0, &c, 1) == 1)
        write(1, &c, 1);
    assert(runs != atoi(argv[2]));
    return 3;
}
"#;

fn attempts() -> Result<(), Failed> {
    let program = Recorded::new(COUNTS)?;
    let (counter, input) = (program.home.path().join("counter"), program.home.path().join("input"));
    std::fs::write(&input, "-again")?;
    let run = |options: &[&str], failing: &str| -> Result<Output, Failed> {
        let _ = std::fs::remove_file(&counter);
        let _ = std::fs::remove_dir_all(program.log());
        let mut file = std::fs::File::open(&input)?;
        // What was read before is not the program's.
        std::io::Seek::seek(&mut file, std::io::SeekFrom::Start(1))?;
        let mut command = ordain(&["record"]);
        command.arg(&program.file).arg("-o").arg(program.log()).args(options).arg("--").arg(&counter).arg(failing);
        Ok(command.stdin(file).output()?)
    };
    let runs = || -> Result<usize, Failed> { Ok(std::fs::read(&counter)?.len()) };
    let followed = |words_of_end: &str| -> Result<(), Failed> {
        let output = program.follow()?;
        expect_code(&output, 0)?;
        expect(words(&output).contains(words_of_end), words_of_end, &words(&output))
    };

    // The failing run is the last, and its log is what is left.
    let output = run(&["--attempts", "9"], "4")?;
    expect_code(&output, 1)?;
    expect(words(&output).contains("run 4 failed; none before it did"), "how many runs there were", &words(&output))?;
    expect(runs()? == 4, "four runs", &runs()?.to_string())?;
    expect(output.stdout == b"again".repeat(4), "the whole input in every run", &words(&output))?;
    followed("failed an assertion")?;
    // No run fails.
    let output = run(&["--attempts", "3"], "4")?;
    expect_code(&output, 0)?;
    expect(words(&output).contains("none of 3 runs failed"), "that none failed", &words(&output))?;
    expect(runs()? == 3, "three runs", &runs()?.to_string())?;
    followed("ended the process")?;
    // A status counts, as without.
    expect_code(&run(&["--attempts", "3", "--fail-on", "3"], "4")?, 1)?;
    expect(runs()? == 1, "one run", &runs()?.to_string())?;
    // Without, there is one run.
    for (options, failing, made) in [(&["--attempts", "9", "--json"][..], "4", 4), (&["--json"], "4", 1)] {
        let output = run(options, failing)?;
        let report: Value = serde_json::from_slice(&output.stdout)?;
        expect(report["stats"]["attempts"] == made && report["runs"] == made, "the attempts", &report.to_string())?;
    }
    let output = run(&["--attempts", "0"], "4")?;
    expect_code(&output, 2)?;
    expect(!program.log().exists(), "nothing left behind", "a log")
}

fn hangs() -> Result<(), Failed> {
    let program = Recorded::new(LOOPS)?;
    let output = program.record(&["--hang-after", "0.3", "--json"], &[])?;
    expect_code(&output, 1)?;
    let report: Value = serde_json::from_slice(&output.stdout)?;
    expect(report["bugs"][0]["kind"] == "hang", "a hang", &report.to_string())?;
    // Waiting without end, where nothing is decided any more.
    let deadlock = "#include <pthread.h>\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
                    int main(void) { pthread_mutex_lock(&m); pthread_mutex_lock(&m); }";
    let said = Recorded::new(deadlock)?.check(&["--hang-after", "0.3"], &[], 1)?;
    expect(said.contains("was running"), "a thread that was running", &said)
}

/// `--hang-after` ends the program by SIGKILL.
fn killed_at_any_moment() -> Result<(), Failed> {
    let program = Recorded::new(LOOPS)?;
    for milliseconds in [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144] {
        let seconds = (f64::from(milliseconds) / 1000.0).to_string();
        let output = program.record(&["--hang-after", &seconds], &[])?;
        if output.status.code() == Some(2) && words(&output).contains("did not get to its start") {
            continue;
        }
        expect_code(&output, 1)?;
        let output = program.follow()?;
        expect_code(&output, 0)?;
        expect(words(&output).contains("was running"), "threads that were running", &words(&output))?;
    }
    Ok(())
}

/// The log of an executable that runs by itself, as if whoever started it had gone.
fn run_alone(program: &Recorded, change: impl FnOnce(&mut Command)) -> Result<std::process::Child, Failed> {
    program.record(&["--hang-after", "0.1"], &[])?;
    let log = program.log();
    for entry in std::fs::read_dir(&log)? {
        let path = entry?.path();
        let keep = ["executable", "run.json"].iter().any(|name| path.ends_with(name));
        if !keep {
            std::fs::remove_file(path)?;
        }
    }
    let file = log.join("run.json");
    let mut run: Value = serde_json::from_str(&std::fs::read_to_string(&file)?)?;
    run["ending"] = Value::Null;
    run["checksums"] = Value::Object(Default::default());
    std::fs::write(&file, run.to_string())?;
    let mut command = Command::new("sh");
    command.env("ORDAIN_LOG", &log).env("EXECUTABLE", log.join("executable"));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    change(&mut command);
    Ok(command.spawn()?)
}

fn recorder_killed() -> Result<(), Failed> {
    let program = Recorded::new(LOOPS)?;
    let mut child = run_alone(&program, |command| {
        command.args(["-c", "exec \"$EXECUTABLE\""]);
    })?;
    std::thread::sleep(std::time::Duration::from_millis(300));
    child.kill()?;
    child.wait()?;
    let output = program.follow()?;
    expect_code(&output, 0)?;
    let said = words(&output);
    expect(said.matches("was running").count() == 3, "three threads that were running", &said)
}

/// No file may grow beyond a limit, which is what a full disk looks like: the log ends there, the program does not.
fn no_room() -> Result<(), Failed> {
    let program = Recorded::new(LOOPS)?;
    let mut child = run_alone(&program, |command| {
        command.args(["-c", "trap '' XFSZ; ulimit -f 400; exec \"$EXECUTABLE\""]);
    })?;
    std::thread::sleep(std::time::Duration::from_millis(1500));
    expect(child.try_wait()?.is_none(), "a program that goes on", "it ended")?;
    child.kill()?;
    child.wait()?;
    let output = program.follow()?;
    expect_code(&output, 0)?;
    expect(words(&output).contains("has no room for more"), "logs without room", &words(&output))
}

/// So does one that is as large as it was allowed to be.
fn limited() -> Result<(), Failed> {
    let program = Recorded::new(
        "volatile unsigned shared; int main(void) { for (unsigned i = 0; i < 40000000; i++) if (shared & 1) shared = i; }",
    )?;
    let output = program.record(&["--max-log", "1"], &[])?;
    expect_code(&output, 0)?;
    expect(words(&output).contains("there was no room for all of the log of thread 0"), "a warning", &words(&output))?;
    let size = std::fs::metadata(program.log().join("0.path"))?.len();
    expect((900_000..1_500_000).contains(&size), "a log of about a megabyte", &size.to_string())?;
    expect_code(&program.follow()?, 0)
}

fn damaged() -> Result<(), Failed> {
    let program = Recorded::new(ENDS)?;
    let seal = |program: &Recorded, file: &str, damage: &dyn Fn(&mut Vec<u8>), sealed: bool| -> Result<(), Failed> {
        let path = program.log().join(file);
        let good = std::fs::read(&path)?;
        let run_file = program.log().join("run.json");
        let run = std::fs::read_to_string(&run_file)?;
        let mut bad = good.clone();
        damage(&mut bad);
        std::fs::write(&path, bad)?;
        if !sealed {
            let mut open: Value = serde_json::from_str(&run)?;
            open["checksums"] = Value::Object(Default::default());
            std::fs::write(&run_file, open.to_string())?;
        }
        let output = program.follow()?;
        expect_code(&output, 2)?;
        expect(words(&output).contains(file), "the name of the file", &words(&output))?;
        std::fs::write(&path, good)?;
        std::fs::write(&run_file, run)?;
        Ok(())
    };
    program.check(&[], &["return"], 0)?;
    // A finished recording must not change at all.
    for file in ["0.path", "0.data", "0.1.path", "functions"] {
        seal(&program, file, &|bytes| bytes[0] ^= 1, true)?;
        seal(&program, file, &|bytes| *bytes.last_mut().expect("a byte") ^= 4, true)?;
        seal(&program, file, &|bytes| bytes.truncate(bytes.len() - 8), true)?;
        seal(&program, file, &|bytes| bytes.clear(), true)?;
    }
    // Without checksums, what is wrong shows on the way.
    for file in ["0.path", "0.1.path"] {
        seal(&program, file, &|bytes| bytes[0] ^= 1, false)?;
        seal(&program, file, &|bytes| bytes[20] ^= 1, false)?;
        seal(&program, file, &|bytes| bytes.truncate(100), false)?;
        seal(&program, file, &|bytes| bytes.truncate(bytes.len() - 3), false)?;
        seal(&program, file, &|bytes| bytes.extend([0; 8].into_iter().chain([1; 8])), false)?;
    }
    seal(&program, "0.1.path", &|bytes| bytes.truncate(bytes.len() - 8), false)?;
    seal(&program, "0.1.path", &|bytes| bytes[4096] ^= 1, false)?;
    seal(&program, "0.1.path", &|bytes| bytes.extend([9, 0, 0, 0, 0, 0, 0, 0]), false)?;
    seal(&program, "0.data", &|bytes| bytes[4100] = 99, false)?;
    seal(&program, "run.json", &|bytes| bytes.truncate(bytes.len() / 2), true)?;
    seal(&program, "run.json", &|bytes| bytes.clear(), true)?;
    program.follow().and_then(|output| expect_code(&output, 0))
}

fn another_build() -> Result<(), Failed> {
    let program = Recorded::new("int main(int argc, char **argv) { return argc > 1; }")?;
    program.check(&[], &[], 0)?;
    std::fs::write(&program.file, "int main(int argc, char **argv) { return argc > 2; }")?;
    let output = program.follow()?;
    expect_code(&output, 2)?;
    expect(words(&output).contains("another build"), "that it is another build", &words(&output))?;
    // A thread's file from elsewhere is noticed as well.
    let other = program.home.path().join("other");
    let recorded = ordain(&["record"]).arg(&program.file).arg("-o").arg(&other).output()?;
    expect_code(&recorded, 0)?;
    std::fs::write(&program.file, "int main(int argc, char **argv) { return argc > 1; }")?;
    std::fs::copy(other.join("0.path"), program.log().join("0.path"))?;
    let output = program.follow()?;
    expect_code(&output, 2)?;
    expect(words(&output).contains("0.path has changed"), "that the file changed", &words(&output))
}

const OUTSIDE: &str = r#"
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
static void *reader(void *path) {
    char buffer[100];
    int fd = open(path, O_RDONLY), lines = 0;
    for (ssize_t n; (n = read(fd, buffer, sizeof buffer)) > 0;)
        for (ssize_t i = 0; i < n; i++)
            lines += buffer[i] == '\n';
    close(fd);
    return (void *)(long)lines;
}
int main(int argc, char **argv) {
    pthread_t thread;
    void *lines;
    pthread_create(&thread, 0, reader, argv[1]);
    unsigned char chance[4];
    getrandom(chance, sizeof chance, 0);
    int odd = 0;
    for (int i = 0; i < 4; i++)
        if (chance[i] & 1)
            odd++;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (now.tv_nsec & 1)
        odd++;
    struct stat status;
    if (stat(argv[1], &status) == 0 && status.st_size > 10)
        odd++;
    DIR *directory = opendir(argv[2]);
    for (struct dirent *entry; (entry = readdir(directory));)
        if (entry->d_name[0] != '.')
            odd++;
    closedir(directory);
    const char *variable = getenv("WORD");
    if (variable && strcmp(variable, "yes") == 0)
        puts("told so");
    char line[50];
    while (fgets(line, sizeof line, stdin))
        printf("got %s", line);
    pthread_join(thread, &lines);
    printf("%ld lines\n", (long)lines);
    return odd < 0;
}
"#;

fn outside() -> Result<(), Failed> {
    let program = Recorded::new(OUTSIDE)?;
    let input = program.home.path().join("input");
    std::fs::write(&input, "one\ntwo\nthree\n")?;
    let mut command = ordain(&["record"]);
    command.arg(&program.file).arg("-o").arg(program.log()).arg("--").arg(&input).arg(program.home.path());
    command.env("WORD", "yes").stdin(std::fs::File::open(&input)?);
    let output = command.output()?;
    expect_code(&output, 0)?;
    let expected = "told so\ngot one\ngot two\ngot three\n3 lines\n";
    expect(String::from_utf8_lossy(&output.stdout) == expected, expected, &words(&output))?;
    // Once it is recorded, what it came from is not needed any more.
    std::fs::remove_file(&input)?;
    let output = program.follow()?;
    expect_code(&output, 0)?;
    expect(words(&output).contains("thread 0.1"), "both threads", &words(&output))
}

fn refused() -> Result<(), Failed> {
    let program = Recorded::new("#include <pthread.h>\nint main(void) { return pthread_cancel(pthread_self()); }")?;
    let output = program.record(&[], &[])?;
    expect_code(&output, 3)?;
    expect(!program.log().exists(), "nothing left behind", "a directory")?;
    let program = Recorded::new("int main(void) { return 0; }")?;
    program.check(&[], &[], 0)?;
    // Nothing is overwritten.
    let again = ordain(&["record"]).arg(&program.file).arg("-o").arg(program.log()).output()?;
    expect_code(&again, 2)?;
    let output = ordain(&["follow"]).arg(program.home.path()).output()?;
    expect_code(&output, 2)?;
    expect(words(&output).contains("not a recording"), "that it is not a recording", &words(&output))
}

/// Programs that leave the beaten path: each must end well, with so many threads that have logs.
fn unusual_ways() -> Result<(), Failed> {
    let programs: [(&str, usize); 6] = [
        // A child of its own does not disturb the log.
        (
            "#include <stdlib.h>\n#include <sys/wait.h>\n#include <unistd.h>\nint n;\n\
             int main(void) { int status = 0; if (fork() == 0) { for (int i = 0; i < 100000; i++) if (rand() & 1) n++; _exit(0); }\n\
             for (int i = 0; i < 1000; i++) if (rand() & 1) n++; wait(&status); return status; }",
            1,
        ),
        // Threads that come and go by the hundred do not use up files.
        (
            "#include <pthread.h>\nint n; void *one(void *a) { if ((long)a & 1) n++; return 0; }\n\
             int main(void) { for (long i = 0; i < 2000; i++) { pthread_t t; if (pthread_create(&t, 0, one, (void *)i)) return 1;\n\
             pthread_join(t, 0); } return 0; }",
            2001,
        ),
        // Main leaves before the others.
        (
            "#include <pthread.h>\n#include <unistd.h>\nvoid *one(void *a) { usleep(1000); return a; }\n\
             int main(void) { pthread_t t; pthread_create(&t, 0, one, 0); pthread_exit(0); }",
            2,
        ),
        // Jumps over functions that record.
        (
            "#include <setjmp.h>\njmp_buf back; int n;\nint dive(int d) { if (d == 0) longjmp(back, 1); if (d & 1) n++; return dive(d - 1); }\n\
             int main(void) { for (volatile int i = 0; i < 20; i++) if (setjmp(back) == 0) dive(i); return n != 100; }",
            1,
        ),
        // Destructors of thread-specific data run in their thread.
        (
            "#include <pthread.h>\npthread_key_t key; int n; void gone(void *v) { if (v) n++; }\n\
             void *one(void *a) { pthread_setspecific(key, &n); return a; }\n\
             int main(void) { pthread_t t; pthread_key_create(&key, gone); pthread_create(&t, 0, one, 0); pthread_join(t, 0); return n != 1; }",
            2,
        ),
        // Functions of the program's own that have names of the C library's.
        (
            "#include <stddef.h>\nint n; size_t strlen(const char *s) { size_t l = 0; while (s[l]) { if (s[l] == 'a') n++; l++; } return l; }\n\
             int toupper(int c) { if (c >= 'a') n++; return c; }\n\
             int main(int argc, char **argv) { strlen(argv[0]); toupper(argv[0][0]); return n != 2; }",
            1,
        ),
    ];
    for (text, threads) in programs {
        let program = Recorded::new(text)?;
        let said = program.check(&["--fail-on", "1"], &[], 0)?;
        expect(said.matches("thread ").count() == threads, &format!("{threads} threads"), &said)?;
        expect(!said.contains("was running"), "threads that ended", &said)?;
    }
    Ok(())
}
