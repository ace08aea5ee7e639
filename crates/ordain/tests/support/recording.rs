//! Recording programs and following their logs.

use libtest_mimic::Failed;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

pub fn ordain(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ordain"));
    command.args(arguments).stdin(Stdio::null());
    command
}

pub fn words(output: &Output) -> String {
    format!("{}\n{}{}", output.status, String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// A program in a directory of its own, and where its log goes.
pub struct Recorded {
    pub home: tempfile::TempDir,
    pub file: PathBuf,
}

impl Recorded {
    pub fn new(text: &str) -> Result<Recorded, Failed> {
        let home = tempfile::tempdir()?;
        let file = home.path().join("program.c");
        std::fs::write(&file, text)?;
        Ok(Recorded { home, file })
    }

    pub fn log(&self) -> PathBuf {
        self.home.path().join("log")
    }

    /// Records it, after removing the log of the last time.
    pub fn record(&self, options: &[&str], arguments: &[&str]) -> Result<Output, Failed> {
        let _ = std::fs::remove_dir_all(self.log());
        let mut command = ordain(&["record"]);
        command.arg(&self.file).arg("-o").arg(self.log()).args(options).arg("--").args(arguments);
        Ok(command.output()?)
    }

    pub fn follow(&self) -> Result<Output, Failed> {
        Ok(ordain(&["follow"]).arg(self.log()).output()?)
    }

    /// Records it, expects this exit code, and follows it; what `follow` printed.
    pub fn check(&self, options: &[&str], arguments: &[&str], code: i32) -> Result<String, Failed> {
        let output = self.record(options, arguments)?;
        expect_code(&output, code)?;
        let output = self.follow()?;
        expect_code(&output, 0)?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

pub fn expect_code(output: &Output, code: i32) -> Result<(), Failed> {
    if output.status.code() == Some(code) { Ok(()) } else { Err(format!("expected {code}: {}", words(output)).into()) }
}

pub fn expect(condition: bool, what: &str, seen: &str) -> Result<(), Failed> {
    if condition { Ok(()) } else { Err(format!("expected {what}, got:\n{seen}").into()) }
}

/// Threads that decide for ever.
pub const LOOPS: &str = r#"
#include <pthread.h>
#include <stdint.h>
uint32_t shared;
static void *loop(void *seed) {
    uint32_t state = (uint32_t)(uintptr_t)seed;
    for (;;) {
        state = state * 1664525 + 1013904223;
        if (state >> 31) shared++;
        switch (state >> 20 & 7) {
        case 1: shared += 3; break;
        case 5: shared ^= state; break;
        default: if (shared & 1) shared--;
        }
    }
}
int main(void) {
    pthread_t threads[2];
    for (uintptr_t i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, loop, (void *)(i + 1));
    loop((void *)7);
}
"#;
