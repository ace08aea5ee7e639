//! What a recording shows: the failure of the run, if it failed, and where its threads were.

use ordain_ir::program::{FuncId, Pc, Program};
use ordain_model::failure::{Failure, FailureKind, Frame, Place};
use ordain_record::run::signal_name;
use ordain_record::{Ending, FollowError, Followed, Recording, ThreadLog, follow};
use ordain_rt::format::State;
use std::path::Path;

const SIGABRT: u32 = 6;
const SIGFPE: u32 = 8;
/// Addresses below this are null pointers, give or take a field.
const FIRST_PAGE: u64 = 4096;

/// Whether a run that ended so has failed.
pub fn fails(ending: &Ending, fail_on: &[i32]) -> bool {
    match ending {
        Ending::Exit(status) => fail_on.contains(status),
        Ending::Signal(_) | Ending::Hang(_) => true,
    }
}

/// The failure that ended a recorded run. `fail_on` are statuses that count as one.
pub fn failure(
    program: &Program,
    recording: &Recording,
    directory: &Path,
    fail_on: &[i32],
) -> Result<Option<Failure>, FollowError> {
    let Some(ending) = recording.run.ending.as_ref().filter(|ending| fails(ending, fail_on)) else { return Ok(None) };
    let Some((thread, kind, message)) = blame(recording, ending) else { return Ok(None) };
    let stack = stack_of(program, recording, thread, directory)?;
    let mut others = Vec::new();
    if kind.is_stuck() {
        for other in recording.threads.iter().filter(|t| t.state == State::Running && t.name != thread.name) {
            let stack = stack_of(program, recording, other, directory)?;
            others.push((other.name.clone(), innermost(&stack)));
        }
    }
    let (thread, place) = (thread.name.clone(), innermost(&stack));
    Ok(Some(Failure { kind, thread, place, others, message, stack }))
}

/// Where a thread was when its log ended; nothing if that is not known.
fn stack_of(
    program: &Program,
    recording: &Recording,
    thread: &ThreadLog,
    directory: &Path,
) -> Result<Vec<Frame>, FollowError> {
    match follow(program, recording, thread, directory) {
        Ok(followed) => Ok(stack(program, &followed)),
        Err(FollowError::NotUnderstood { .. }) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

fn innermost(stack: &[Frame]) -> Place {
    stack.first().map_or_else(|| Place { file: "<unknown>".to_owned(), line: 0 }, |frame| frame.place.clone())
}

/// Who failed, and how, in a run that did.
fn blame<'r>(recording: &'r Recording, ending: &Ending) -> Option<(&'r ThreadLog, FailureKind, String)> {
    let found = recording.threads.iter().find_map(|thread| Some((thread, of_state(thread)?)));
    if let (Some((thread, (kind, message))), Ending::Signal(_)) = (found, ending) {
        return Some((thread, kind, message));
    }
    let ended = recording.threads.iter().find(|t| matches!(t.state, State::EndedProcess | State::EndedProcessNow));
    let main = recording.threads.first()?;
    let waiting = recording.threads.iter().find(|t| t.state == State::Running);
    match ending {
        Ending::Exit(status) => {
            let message = format!("the program ended with status {status}, which counts as a failure");
            Some((ended.unwrap_or(main), FailureKind::Assertion, message))
        }
        Ending::Signal(signal) => {
            Some((main, FailureKind::Abort, format!("the process was ended by {}", signal_name(*signal))))
        }
        Ending::Hang(seconds) => Some((
            waiting.unwrap_or(main),
            FailureKind::Hang,
            format!("the program had not ended after {seconds} seconds"),
        )),
    }
}

fn of_state(thread: &ThreadLog) -> Option<(FailureKind, String)> {
    let address = thread.fault.map_or(0, |(_, address)| address);
    Some(match thread.state {
        State::AssertionFailed => (FailureKind::Assertion, "an assertion failed".to_owned()),
        State::ReachedError => (FailureKind::Assertion, "an error function was called".to_owned()),
        State::Aborted => (FailureKind::Abort, "the program aborted".to_owned()),
        State::Misused => (FailureKind::LockMisuse, "a library object was used as it must not be".to_owned()),
        State::Faulted => match thread.status {
            SIGFPE => (FailureKind::Division, "a division trapped".to_owned()),
            SIGABRT => (FailureKind::Abort, "the C library aborted".to_owned()),
            signal if address < FIRST_PAGE => {
                (FailureKind::Null, format!("{} at address {address:#x}", signal_name(signal as i32)))
            }
            signal => (FailureKind::Bounds, format!("{} at address {address:#x}", signal_name(signal as i32))),
        },
        _ => return None,
    })
}

/// The user's functions that a thread was in, innermost first.
pub fn stack(program: &Program, followed: &Followed) -> Vec<Frame> {
    let user = |&&(function, _): &&(FuncId, Pc)| !program.function(function).model && function != program.start;
    followed.stack.iter().filter(user).map(|&(function, pc)| frame(program, function, pc)).collect()
}

fn frame(program: &Program, function: FuncId, pc: Pc) -> Frame {
    let location = program.location(function, pc);
    let file = program.files.get(location.file as usize).cloned().unwrap_or_default();
    Frame { function: program.function(function).name.clone(), place: Place { file, line: location.line } }
}
