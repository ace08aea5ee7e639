//! What a person, or a program, is shown of a result.
//!
//! `interleaving` tells an execution as a story: one column per thread, source lines, values and where they came from.
//! It is made from the log of a run in the machine, so everything in it has happened. `json` is the same for programs.

mod columns;
pub mod json;
mod naming;
mod origin;
mod source;
mod story;

pub use story::input_value;

use ordain_ir::program::Program;
use ordain_model::failure::Failure;
use ordain_model::memory::AddressBook;
use ordain_model::names::ThreadName;
use ordain_model::witness::{Execution, Turn};
use ordain_vm::Executed;

/// One run that was recorded, with what is needed to speak about it.
#[derive(Clone, Copy)]
pub struct Recorded<'a> {
    pub program: &'a Program,
    pub book: &'a AddressBook,
    pub log: &'a [Executed],
    /// What was run: its inputs have names.
    pub execution: &'a Execution,
}

/// The interleaving that leads to `failure`, at most `width` characters wide.
pub fn interleaving(run: &Recorded, failure: &Failure, width: usize) -> String {
    let story = story::tell(run, failure);
    columns::render(&story, width)
}

/// How often a schedule goes from one thread to another.
pub fn switches(execution: &Execution) -> u32 {
    let threads: Vec<&ThreadName> = execution
        .schedule
        .iter()
        .filter_map(|turn| match turn {
            Turn::Run { thread, points } if *points > 0 => Some(thread),
            Turn::Choose { thread, .. } => Some(thread),
            _ => None,
        })
        .collect();
    threads.windows(2).filter(|pair| pair[0] != pair[1]).count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_and_empty_turns_are_no_switches() {
        let (main, other) = (ThreadName::main(), ThreadName::main().child(1));
        let run = |thread: &ThreadName, points| Turn::Run { thread: thread.clone(), points };
        let schedule = vec![
            run(&main, 3),
            Turn::Commit { thread: other.clone(), nth: 0 },
            run(&main, 1),
            run(&other, 0),
            run(&main, 1),
            run(&other, 2),
        ];
        assert_eq!(switches(&Execution { schedule, ..Execution::default() }), 1);
    }
}
