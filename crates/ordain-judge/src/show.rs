//! A verdict in words, one finding per line.

use crate::compare::path_class_in_words;
use crate::findings::{Findings, Incomplete, Verdict};
use std::fmt;

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (kind, line) in &self.errors {
            writeln!(f, "{kind} at line {line}")?;
        }
        for (kind, thread, line) in &self.stuck {
            writeln!(f, "{kind} of thread {thread} at line {line}")?;
        }
        for (first, second) in &self.races {
            writeln!(f, "race of lines {first} and {second}")?;
        }
        for (status, output) in &self.exits {
            writeln!(f, "exit with status {status} and output {output:?}")?;
        }
        for class in &self.paths {
            writeln!(f, "{}", path_class_in_words(class))?;
        }
        Ok(())
    }
}

impl fmt::Display for Incomplete {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Incomplete::States => write!(f, "there are too many states"),
            Incomplete::Input { name } => write!(f, "the name of input '{name}' does not say which values matter"),
            Incomplete::Accesses => write!(f, "there are too many different memory accesses"),
            Incomplete::Unsupported { what } => write!(f, "{what} is not supported"),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.found)?;
        if let Some(reason) = &self.incomplete {
            writeln!(f, "incomplete: {reason}")?;
        }
        writeln!(f, "{} states", self.states)
    }
}
