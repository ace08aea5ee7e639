//! Writing to the terminal. A reader that went away (`ordain … | head`) is not an error: what it did not want is dropped.

use std::io::{IsTerminal, Write};

/// Prints to standard output, as it is.
pub fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Prints words for a person: files below the current directory are named from there.
pub fn tell(text: &str) {
    match std::env::current_dir() {
        Ok(here) if here.parent().is_some() => say(&text.replace(&format!("{}/", here.display()), "")),
        _ => say(text),
    }
}

/// Passes on what the program under analysis wrote.
pub fn pass_on(standard_output: &[u8], standard_error: &[u8]) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(standard_output).and_then(|()| out.flush());
    let _ = std::io::stderr().lock().write_all(standard_error);
}

/// Prints a message of Ordain's own to standard error.
pub fn complain(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "ordain: {text}");
}

/// One line on standard error that changes, on a terminal only.
pub struct ProgressLine {
    enabled: bool,
    shown: bool,
}

impl ProgressLine {
    pub fn new(quiet: bool) -> Self {
        ProgressLine { enabled: !quiet && std::io::stderr().is_terminal(), shown: false }
    }

    pub fn show(&mut self, text: &str) {
        if self.enabled {
            self.shown = true;
            let _ = write!(std::io::stderr().lock(), "\r\x1b[K{text}");
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if self.shown {
            let _ = write!(std::io::stderr().lock(), "\r\x1b[K");
        }
    }
}
