//! What there is to find in a program, as plain sets: the common ground on which judges and explorers are compared.

use ordain_ir::program::{BlockId, FuncId, Pc};
use ordain_model::failure::FailureKind;
use ordain_model::names::ThreadName;
use std::collections::{BTreeMap, BTreeSet};

/// A source line. Generated programs have one file and one statement per line.
pub type Line = u32;

/// One conditional branch or switch that a thread took, and where it led.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Branch {
    pub function: FuncId,
    pub pc: Pc,
    pub to: BlockId,
}

/// The branches of a thread, in order, without failing iterations of awaits.
pub type Path = Vec<Branch>;

/// The path of every thread that was created, up to the end of one execution.
pub type PathClass = BTreeMap<ThreadName, Path>;

/// Everything that was found in a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Findings {
    /// Failures that end a run, apart from deadlocks and hangs.
    pub errors: BTreeSet<(FailureKind, Line)>,
    /// Threads that are stuck in some execution, with the kind of it: deadlock or hang.
    pub stuck: BTreeSet<(FailureKind, ThreadName, Line)>,
    /// Pairs of lines that race, the smaller one first.
    pub races: BTreeSet<(Line, Line)>,
    /// How the process can end, with what it has printed.
    pub exits: BTreeSet<(i32, String)>,
    /// The path classes of executions in which every thread came to its end.
    pub paths: BTreeSet<PathClass>,
}

/// Why a judge gave up on a program: its findings are real, but there may be more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Incomplete {
    /// More states than allowed.
    States,
    /// An input of more than one byte whose name does not say which values matter.
    Input {
        name: String,
    },
    /// More different memory accesses than can be told apart.
    Accesses,
    Unsupported {
        what: String,
    },
}

/// What a judge says about a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Verdict {
    pub found: Findings,
    /// `None` if everything was enumerated.
    pub incomplete: Option<Incomplete>,
    /// How many states were visited.
    pub states: usize,
}
