//! What native replay cannot do, and how it says so.

mod support;

use ordain_instrument::{Error, NativeOutcome, Start, build_replay};
use ordain_model::failure::{Failure, FailureKind, Place};
use ordain_model::names::ThreadName;
use ordain_model::witness::{Claim, Execution, MemoryModel, Turn};
use support::Program;

const LOST_UPDATE: &str = r#"
#include <assert.h>
#include <pthread.h>
void nobody_defines_this(void);
int counter;
void *add(void *argument) {
    if (argument) nobody_defines_this();
    counter = counter + 1;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 2);
}"#;

fn run(thread: ThreadName, points: u32) -> Turn {
    Turn::Run { thread, points }
}

fn claim(kind: FailureKind) -> Failure {
    let place = Place { file: "program.c".into(), line: 1 };
    Failure { kind, thread: ThreadName::main(), place, others: Vec::new(), message: String::new(), stack: Vec::new() }
}

fn instead(outcome: NativeOutcome) -> String {
    match outcome {
        NativeOutcome::NotReproduced { instead } => instead,
        other => panic!("{other:?}"),
    }
}

#[test]
fn races_and_uninitialised_values_have_no_native_form() {
    for kind in [FailureKind::Race, FailureKind::Uninitialised] {
        let outcome = ordain_instrument::replay(
            b"not looked at",
            &Execution::default(),
            Start::default(),
            &Claim::Failure(claim(kind)),
        );
        assert!(matches!(outcome, Ok(NativeOutcome::CannotShow { .. })), "{outcome:?}");
    }
}

#[test]
fn a_schedule_of_another_program_diverges() {
    let program = Program::from_text(LOST_UPDATE);
    let main = ThreadName::main();
    let cases = [
        (vec![run(main.child(3), 1)], "diverged at turn 0: it is the turn of thread 0.3, which does not exist"),
        (vec![run(main.clone(), 2), run(main.child(1), 9)], "which has ended"),
        (vec![run(main.clone(), 9)], "which cannot proceed"),
        (vec![run(main.clone(), 1)], "the schedule is over and nothing failed"),
    ];
    for (schedule, expected) in cases {
        let execution = Execution { schedule, ..Execution::default() };
        let instead = instead(program.replay(&execution, &claim(FailureKind::Assertion)));
        assert!(instead.contains(expected), "{instead}");
    }
}

#[test]
fn a_claim_about_another_place_or_kind_is_not_reproduced() {
    let program = Program::from_text(LOST_UPDATE);
    let (execution, failure) = program.failing_run(FailureKind::Assertion);
    let elsewhere =
        Failure { place: Place { line: failure.place.line + 1, ..failure.place.clone() }, ..failure.clone() };
    let otherwise = Failure { kind: FailureKind::Abort, ..failure };
    for wrong in [elsewhere, otherwise] {
        let instead = instead(program.replay(&execution, &wrong));
        assert!(instead.contains("assertion in thread 0 at"), "{instead}");
    }
}

#[test]
fn a_loop_that_gets_somewhere_is_no_hang() {
    let program = Program::from_text("int x; int main(void) { for (;;) x = x + 1; }");
    let execution = Execution { schedule: vec![run(ThreadName::main(), 10)], ..Execution::default() };
    let instead = instead(program.replay(&execution, &claim(FailureKind::Hang)));
    assert!(instead.contains("nothing failed"), "{instead}");
}

#[test]
fn a_store_that_is_in_no_buffer_cannot_reach_memory() {
    let program = Program::from_text(LOST_UPDATE);
    let (mut execution, failure) = program.failing_run(FailureKind::Assertion);
    execution.memory = MemoryModel::Tso;
    execution.schedule = vec![run(ThreadName::main(), 2), Turn::Commit { thread: ThreadName::main(), nth: 0 }];
    let instead = instead(program.replay(&execution, &failure));
    assert!(instead.contains("diverged at turn 1"), "{instead}");
    assert!(instead.contains("has no such store that could reach memory now"), "{instead}");
}

#[test]
fn what_is_not_bitcode_is_refused() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    for bytes in [b"".as_slice(), b"BC\xc0\xde but no more", &[0xff; 100]] {
        let built = build_replay(bytes, &dir.path().join("replay"));
        assert!(matches!(built, Err(Error::Instrument(_))), "{built:?}");
    }
    assert!(!dir.path().join("replay").exists());
}
