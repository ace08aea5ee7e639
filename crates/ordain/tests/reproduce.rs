//! `ordain reproduce`: programs are recorded until they fail, and the failure is shown again from the log alone: by the machine,
//! natively, and once more from the witness file.

mod support;

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Output;
use support::recording::{expect, expect_code, ordain, words};

const MOST_ATTEMPTS: &str = "300";
/// So often the witness is followed natively: it has to fail every time.
const REPLAYS: usize = 5;

type Test = fn() -> Result<(), Failed>;

/// A program that fails every few runs.
struct Program {
    name: &'static str,
    /// How it is recorded.
    options: &'static [&'static str],
    kind: &'static str,
    /// With so many preemptions, or fewer.
    preemptions: u64,
}

const PROGRAMS: [Program; 8] = [
    Program { name: "sim_race", options: &[], kind: "assertion", preemptions: 0 },
    Program { name: "bbuf", options: &[], kind: "assertion", preemptions: 1 },
    Program { name: "sim_race", options: &["--log", "paths"], kind: "assertion", preemptions: 0 },
    Program { name: "peterson", options: &["--memory", "tso"], kind: "assertion", preemptions: 1 },
    Program { name: "peterson", options: &["--memory", "pso"], kind: "assertion", preemptions: 1 },
    Program { name: "bakery", options: &["--memory", "tso", "--log", "paths"], kind: "assertion", preemptions: 1 },
    Program { name: "bakery", options: &["--memory", "pso"], kind: "assertion", preemptions: 1 },
    Program { name: "bakery", options: &["--memory", "pso", "--log", "paths"], kind: "assertion", preemptions: 1 },
];

fn main() {
    let arguments = Arguments::from_args();
    let mut trials: Vec<Trial> = PROGRAMS
        .into_iter()
        .map(|program| {
            let name = [&[program.name], program.options].concat().join(" ");
            Trial::test(name, move || check(&program))
        })
        .collect();
    let others: [(&str, Test); 10] = [
        ("lost_update", lost_update),
        ("null_pointer", null_pointer),
        ("deadlock", deadlock),
        ("lost_wake_up", lost_wake_up),
        ("endless_wait", endless_wait),
        ("exit_status", exit_status),
        ("what_came_from_outside", what_came_from_outside),
        ("what_went_unnoticed", what_went_unnoticed),
        ("most_switches", most_switches),
        ("no_failure", no_failure),
    ];
    trials.extend(others.into_iter().map(|(name, test)| Trial::test(name, test)));
    libtest_mimic::run(&arguments, trials).exit();
}

fn recorded_programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/recorded")
}

fn check(program: &Program) -> Result<(), Failed> {
    let home = tempfile::tempdir()?;
    let file = recorded_programs().join(format!("{}.c", program.name));
    let report = reproduce(home.path(), &file, &[program.options, &["--attempts", MOST_ATTEMPTS]].concat())?;
    let bug = shows(home.path(), &report, program.kind)?;
    expect(bug["confirmed"] == serde_json::json!(["vm", "native"]), "a native confirmation", &report.to_string())?;
    let (found, least) = (number(&report, "preemptions")?, number(&report, "preemptions_at_least")?);
    expect(found <= program.preemptions, "fewer preemptions", &report.to_string())?;
    expect(found == least, "a proof that fewer do not suffice", &report.to_string())
}

fn number(report: &Value, name: &str) -> Result<u64, Failed> {
    report["stats"][name].as_u64().ok_or_else(|| format!("no {name} in {report}").into())
}

/// Records `file`, which has to fail, and reproduces it; the report.
fn reproduce(home: &Path, file: &Path, options: &[&str]) -> Result<Value, Failed> {
    let log = home.join("log");
    let recorded = ordain(&["record"]).arg(file).arg("-o").arg(&log).args(options).output()?;
    expect_code(&recorded, 1)?;
    let output = ordain(&["reproduce", "--json", "--time", "60", "--jobs", "2", "-o"]).arg(home).arg(&log).output()?;
    expect_code(&output, 1)?;
    report(&output)
}

fn report(output: &Output) -> Result<Value, Failed> {
    serde_json::from_slice(&output.stdout).map_err(|e| format!("{e}: {}", words(output)).into())
}

/// The bug of a report, whose witness fails every time.
fn shows<'r>(home: &Path, report: &'r Value, kind: &str) -> Result<&'r Value, Failed> {
    let bug = &report["bugs"][0];
    expect(bug["kind"] == kind, &format!("a bug of kind {kind}"), &report.to_string())?;
    let witness = home.join(bug["witness"].as_str().ok_or("no witness")?);
    for _ in 0..REPLAYS {
        expect_code(&ordain(&["replay", "--native"]).arg(&witness).output()?, 1)?;
    }
    expect_code(&ordain(&["replay", "--vm"]).arg(&witness).output()?, 1)?;
    Ok(bug)
}

/// A program that fails in most of its runs.
fn written(text: &str) -> Result<(tempfile::TempDir, PathBuf), Failed> {
    let home = tempfile::tempdir()?;
    let file = home.path().join("program.c");
    std::fs::write(&file, text)?;
    Ok((home, file))
}

const LOST_UPDATE: &str = "#include <assert.h>\n#include <pthread.h>\n#include <unistd.h>\nstatic int x;\n\
    static void *add(void *p) { int seen = x; usleep(20000); x = seen + 1; return p; }\n\
    int main(void) { pthread_t s, t; pthread_create(&s, 0, add, 0); pthread_create(&t, 0, add, 0);\n\
    pthread_join(s, 0); pthread_join(t, 0);\nassert(x == 2); }\n";

/// What cannot be done with fewer preemptions is said so, and how often threads switch.
fn lost_update() -> Result<(), Failed> {
    let (home, file) = written(LOST_UPDATE)?;
    let report = reproduce(home.path(), &file, &["--attempts", MOST_ATTEMPTS])?;
    let bug = shows(home.path(), &report, "assertion")?;
    expect(bug["line"] == 8 && bug["switches"] == 4, "line 8 after four switches", &report.to_string())?;
    takes_exactly(&report, 1)
}

/// The log of a thread that crashed does not say where; the machine finds out.
fn null_pointer() -> Result<(), Failed> {
    let (home, file) = written(
        "#include <pthread.h>\n#include <stdlib.h>\n#include <unistd.h>\nstatic int *p;\n\
         static void *clear(void *q) { usleep(20000); p = 0; return q; }\n\
         int main(void) { pthread_t t; p = malloc(4); *p = 1; pthread_create(&t, 0, clear, 0);\n\
         if (p) { usleep(60000);\n*p = 2; }\npthread_join(t, 0); }\n",
    )?;
    let report = reproduce(home.path(), &file, &["--attempts", MOST_ATTEMPTS])?;
    let bug = shows(home.path(), &report, "null")?;
    expect(bug["line"] == 8, "line 8", &report.to_string())
}

fn deadlock() -> Result<(), Failed> {
    let (home, file) = written(
        "#include <pthread.h>\n#include <unistd.h>\n\
         static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;\n\
         static void *lock(pthread_mutex_t *first, pthread_mutex_t *second) {\n\
         pthread_mutex_lock(first); usleep(50000);\npthread_mutex_lock(second);\n\
         pthread_mutex_unlock(second); pthread_mutex_unlock(first); return 0; }\n\
         static void *other(void *p) { return lock(&b, &a); }\n\
         int main(void) { pthread_t t; pthread_create(&t, 0, other, 0); lock(&a, &b); pthread_join(t, 0); }\n",
    )?;
    let report = reproduce(home.path(), &file, &["--attempts", MOST_ATTEMPTS, "--hang-after", "1"])?;
    shows(home.path(), &report, "deadlock")?;
    takes_exactly(&report, 1)
}

/// The report's number of preemptions is this, and proved.
fn takes_exactly(report: &Value, preemptions: u64) -> Result<(), Failed> {
    let (found, least) = (number(report, "preemptions")?, number(report, "preemptions_at_least")?);
    let wanted = format!("{preemptions} preemptions, and not fewer");
    expect((found, least) == (preemptions, preemptions), &wanted, &report.to_string())
}

/// A signal comes between looking and waiting: the waiting thread has to be let in before, and interrupted.
fn lost_wake_up() -> Result<(), Failed> {
    let (home, file) = written(
        "#include <pthread.h>\n#include <stdatomic.h>\n#include <unistd.h>\nstatic atomic_int ready;\n\
         static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nstatic pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n\
         static void *waiter(void *p) { if (!ready) { usleep(50000); pthread_mutex_lock(&m);\n\
         pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); } return p; }\n\
         int main(void) { pthread_t t; pthread_create(&t, 0, waiter, 0); usleep(20000); ready = 1;\n\
         pthread_mutex_lock(&m); pthread_cond_signal(&c); pthread_mutex_unlock(&m); pthread_join(t, 0); }\n",
    )?;
    let report = reproduce(home.path(), &file, &["--attempts", MOST_ATTEMPTS, "--hang-after", "1"])?;
    shows(home.path(), &report, "deadlock")?;
    takes_exactly(&report, 2)
}

/// A thread waits in a loop for what another has taken back.
fn endless_wait() -> Result<(), Failed> {
    let (home, file) = written(
        "#include <pthread.h>\n#include <stdatomic.h>\n#include <unistd.h>\nstatic atomic_int go;\n\
         static void *waiter(void *p) { usleep(50000);\nwhile (!go) usleep(1000);\nreturn p; }\n\
         int main(void) { pthread_t t; pthread_create(&t, 0, waiter, 0); go = 1; usleep(1000); go = 0; pthread_join(t, 0); }\n",
    )?;
    let report = reproduce(home.path(), &file, &["--attempts", MOST_ATTEMPTS, "--hang-after", "1"])?;
    shows(home.path(), &report, "hang")?;
    takes_exactly(&report, 0)
}

/// A process goes on after what the machine stops at: a mutex that is destroyed while somebody has it. That is what is found then.
fn what_went_unnoticed() -> Result<(), Failed> {
    let (home, file) = written(
        "#include <assert.h>\n#include <pthread.h>\n#include <unistd.h>\n\
         static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
         static void *hold(void *p) { pthread_mutex_lock(&m); usleep(50000); pthread_mutex_unlock(&m); return p; }\n\
         int main(void) { pthread_t t; pthread_create(&t, 0, hold, 0); usleep(20000);\n\
         int error = pthread_mutex_destroy(&m);\npthread_join(t, 0);\nassert(error == 0); }\n",
    )?;
    let report = reproduce(home.path(), &file, &["--attempts", MOST_ATTEMPTS])?;
    let bug = shows(home.path(), &report, "lock-misuse")?;
    expect(bug["line"] == 7, "line 7", &report.to_string())?;
    let reason = report["reason"].as_str().unwrap_or_default();
    expect(reason.contains("program.c:9"), "how the recorded run ended", &report.to_string())
}

/// What a run was told by the system is in its log: it is reproduced though nothing of that is there any more. Whether it fails
/// depends on a file, a listing, the environment, the time and chance, each of which decides which way a thread goes.
fn what_came_from_outside() -> Result<(), Failed> {
    let (home, file) = written(OUTSIDE)?;
    let read = home.path().join("read");
    std::fs::create_dir(&read)?;
    std::fs::write(read.join("one"), "the text of a file")?;
    let log = home.path().join("log");
    let mut record = ordain(&["record", "--attempts", MOST_ATTEMPTS]);
    record.arg(&file).arg("-o").arg(&log).arg("--").arg(&read).env("ORDAIN_TEST_WORD", "a word of the environment");
    expect_code(&record.output()?, 1)?;
    std::fs::remove_dir_all(&read)?;
    let output = ordain(&["reproduce", "--json", "--time", "60", "-o"]).arg(home.path()).arg(&log).output()?;
    expect_code(&output, 1)?;
    let report = report(&output)?;
    let bug = shows(home.path(), &report, "assertion")?;
    expect(bug["confirmed"] == serde_json::json!(["vm", "native"]), "a native confirmation", &report.to_string())?;
    expect(!read.exists(), "nothing written by a replay", &report.to_string())
}

const OUTSIDE: &str = r#"
#include <assert.h>
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

static unsigned sum, lost;

static void mix(const void *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        for (int bit = 0; bit < 8; bit++)
            if (((const unsigned char *)bytes)[i] >> bit & 1)
                sum = 31 * sum + bit;
}

static void *add(void *p) {
    unsigned seen = lost;
    usleep(20000);
    lost = seen + 1;
    return p;
}

int main(int argc, char **argv, char **environment) {
    assert(argc == 2);
    char path[4096], text[64], *word = getenv("ORDAIN_TEST_WORD");
    assert(word && environment[0]);
    mix(word, strlen(word));
    DIR *directory = opendir(argv[1]);
    for (struct dirent *entry; (entry = readdir(directory));)
        mix(entry->d_name, strlen(entry->d_name));
    closedir(directory);
    snprintf(path, sizeof path, "%s/one", argv[1]);
    struct stat status;
    assert(stat(path, &status) == 0);
    mix(&status.st_ino, sizeof status.st_ino);
    FILE *file = fopen(path, "r");
    size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    mix(text, size);
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    mix(&now, sizeof now);
    unsigned long chance;
    assert(getrandom(&chance, sizeof chance, 0) == sizeof chance);
    mix(&chance, sizeof chance);
    snprintf(path, sizeof path, "%s/two", argv[1]);
    int fd = open(path, O_CREAT | O_WRONLY, 0600);
    assert(write(fd, &sum, sizeof sum) == sizeof sum);
    close(fd);
    pthread_t s, t;
    pthread_create(&s, 0, add, 0);
    pthread_create(&t, 0, add, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    assert(lost == 2);
}
"#;

/// Nothing fails, but the status is not the one that it should be.
fn exit_status() -> Result<(), Failed> {
    let (home, file) = written(
        "#include <pthread.h>\n#include <unistd.h>\nstatic int x;\n\
         static void *add(void *p) { int seen = x; usleep(20000); x = seen + 1; return p; }\n\
         int main(void) { pthread_t s, t; pthread_create(&s, 0, add, 0); pthread_create(&t, 0, add, 0);\n\
         pthread_join(s, 0); pthread_join(t, 0);\nreturn x == 2 ? 0 : 3; }\n",
    )?;
    let log = home.path().join("log");
    let options = ["--fail-on", "3", "--attempts", MOST_ATTEMPTS];
    expect_code(&ordain(&["record"]).arg(&file).arg("-o").arg(&log).args(options).output()?, 1)?;
    let output = ordain(&["reproduce", "--json", "--fail-on", "3", "-o"]).arg(home.path()).arg(&log).output()?;
    expect_code(&output, 1)?;
    let report = report(&output)?;
    takes_exactly(&report, 1)?;
    let bug = &report["bugs"][0];
    expect(bug["confirmed"] == serde_json::json!(["vm", "native"]), "a native confirmation", &report.to_string())?;
    let witness = home.path().join(bug["witness"].as_str().ok_or("no witness")?);
    for way in ["--native", "--vm"] {
        let output = ordain(&["replay", way]).arg(&witness).output()?;
        expect_code(&output, 0)?;
        expect(words(&output).contains("ended with status 3"), "the status", &words(&output))?;
    }
    Ok(())
}

/// What takes more preemptions than somebody wants to see is not shown, and it says why.
fn most_switches() -> Result<(), Failed> {
    let (home, file) = written(LOST_UPDATE)?;
    let log = home.path().join("log");
    expect_code(&ordain(&["record", "--attempts", MOST_ATTEMPTS]).arg(&file).arg("-o").arg(&log).output()?, 1)?;
    let reproduce = |most| ordain(&["reproduce", "--max-switches", most, "-o"]).arg(home.path()).arg(&log).output();
    let output = reproduce("0")?;
    expect_code(&output, 3)?;
    let wanted = "no schedule of the recorded paths with at most 0 preemptions fails so: that is proved";
    expect(words(&output).contains(wanted), wanted, &words(&output))?;
    expect_code(&reproduce("1")?, 1)?;
    expect_code(&reproduce("few")?, 2)?;
    expect_code(&reproduce("-1")?, 2)
}

fn no_failure() -> Result<(), Failed> {
    let (home, file) = written("int main(void) { return 3; }\n")?;
    let log = home.path().join("log");
    expect_code(&ordain(&["record"]).arg(&file).arg("-o").arg(&log).output()?, 0)?;
    let output = ordain(&["reproduce"]).arg(&log).output()?;
    expect_code(&output, 2)?;
    expect(words(&output).contains("did not fail"), "what is wrong", &words(&output))?;
    let output = ordain(&["reproduce"]).arg(home.path().join("nothing")).output()?;
    expect_code(&output, 2)
}
