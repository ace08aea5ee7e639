//! A failure as a person is shown it: what, where, with which inputs, in which interleaving, and how to see it again.

use crate::playback::Playback;
use crate::subject::Subject;
use ordain_instrument::NativeOutcome;
use ordain_model::failure::{Failure, FailureKind};
use ordain_model::witness::{Claim, Execution, MemoryModel};
use ordain_report::Recorded;
use std::fmt::Write;
use std::path::Path;

/// Wide enough for three columns, narrow enough for a terminal beside an editor.
const WIDTH: usize = 120;

/// The whole story of a failure; `playback` is a run that shows it.
pub fn failure(subject: &Subject, playback: &Playback, execution: &Execution, failure: &Failure) -> String {
    format!("{}{}", headline(failure), story(subject, playback, execution, failure))
}

/// The same without what stands at the head.
pub fn story(subject: &Subject, playback: &Playback, execution: &Execution, failure: &Failure) -> String {
    let mut text = format!("  {}\n", failure.message);
    text.push_str(&stack(failure));
    if !execution.inputs.is_empty() {
        let _ = writeln!(text, "  inputs: {}", inputs(execution));
    }
    if execution.memory != MemoryModel::Sc {
        let _ = writeln!(text, "  memory model: {}", memory_name(execution.memory));
    }
    if !playback.machine.is_recorded() {
        let _ = writeln!(text, "  The run is too long to be shown point by point.");
        return text;
    }
    let book = playback.machine.address_book().borrow();
    let recorded = Recorded { program: &subject.loaded.program, book: &book, log: playback.machine.log(), execution };
    let _ = writeln!(text, "\n{}", ordain_report::interleaving(&recorded, failure, WIDTH));
    text
}

/// What and where, in one line.
pub fn headline(failure: &Failure) -> String {
    let mut text = format!("{} at {} in thread {}", failure.kind, failure.place, failure.thread);
    let joined = if failure.kind == FailureKind::Race { " against" } else { ", with" };
    for (i, (thread, place)) in failure.others.iter().enumerate() {
        let _ = write!(text, "{} {place} in thread {thread}", if i == 0 { joined } else { "," });
    }
    text.push('\n');
    text
}

/// What is claimed, in one line.
pub fn claim(claim: &Claim) -> String {
    match claim {
        Claim::Failure(failure) => headline(failure),
        Claim::Exit { status } => format!("the program ended with status {status}\n"),
    }
}

/// Which function called which, if there is more than one.
fn stack(failure: &Failure) -> String {
    match failure.stack.as_slice() {
        [] | [_] => String::new(),
        [innermost, callers @ ..] => {
            let callers: Vec<String> = callers.iter().map(|f| format!("{} at {}", f.function, f.place)).collect();
            format!("  in {}, called by {}\n", innermost.function, callers.join(", by "))
        }
    }
}

fn inputs(execution: &Execution) -> String {
    let input = |i: &ordain_model::witness::InputValue| {
        let name = if i.name.is_empty() { format!("{}#{}", i.thread, i.nth) } else { i.name.clone() };
        format!("{name} = {}", ordain_report::input_value(&i.bytes))
    };
    execution.inputs.iter().map(input).collect::<Vec<_>>().join(", ")
}

pub fn memory_name(memory: MemoryModel) -> &'static str {
    match memory {
        MemoryModel::Sc => "sc",
        MemoryModel::Tso => "tso",
        MemoryModel::Pso => "pso",
    }
}

/// By what a failure was confirmed.
pub fn confirmation(native: Option<&NativeOutcome>) -> String {
    match native {
        None => "confirmed in the machine\n".to_owned(),
        Some(NativeOutcome::Reproduced) => "confirmed in the machine and natively\n".to_owned(),
        Some(NativeOutcome::CannotShow { why }) => {
            format!("confirmed in the machine (natively it cannot be shown: {why})\n")
        }
        Some(NativeOutcome::NotReproduced { instead }) => {
            format!("confirmed in the machine; NOT reproduced natively: {instead}\n")
        }
    }
}

pub fn replay_hint(witness: &Path) -> String {
    format!("replay with: ordain replay {}\n", witness.display())
}
