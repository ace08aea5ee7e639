//! Every litmus test shows its weak outcome under exactly the memory models that its first line names. All states of
//! each program are visited, so "no" means no.

mod c_programs;

use c_programs::{Compiled, MODELS, collection, compile_file, headers};
use ordain_model::failure::FailureKind;
use ordain_model::memory::AddressBook;
use ordain_model::witness::MemoryModel;
use ordain_vm::schedulers::Choice;
use ordain_vm::{Config, End, Machine, Status};
use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

fn choices(machine: &Machine<'_>) -> Vec<Choice> {
    let ready = machine.thread_ids().filter(|t| machine.status(*t) == Status::Ready);
    let commits = machine.commits().into_iter().map(|(thread, nth)| Choice::Commit(thread, nth));
    ready.map(|thread| Choice::Run(thread, 1)).chain(commits).collect()
}

/// Whether some execution fails an assertion; also how many states there are.
fn search(compiled: &Compiled, memory: MemoryModel) -> (bool, usize) {
    let book = Rc::new(RefCell::new(AddressBook::new(&compiled.program)));
    let config = Config { memory, ..Config::default() };
    let mut open = vec![Machine::new(&compiled.program, &compiled.facts, config, book)];
    let mut seen = HashSet::from([open[0].fingerprint()]);
    let mut fails = false;
    while let Some(machine) = open.pop() {
        match machine.end() {
            Some(End::Failed(failure)) => {
                assert_eq!(failure.kind, FailureKind::Assertion, "{failure:?}");
                fails = true;
            }
            Some(End::Exit(_)) => {}
            Some(end) => panic!("{end:?}"),
            None => {
                for choice in choices(&machine) {
                    let mut next = machine.clone();
                    match choice {
                        Choice::Run(thread, _) => next.step(thread),
                        Choice::Commit(thread, nth) => next.commit(thread, nth),
                        Choice::Decide(..) | Choice::Stop => unreachable!("not among the choices"),
                    }
                    if next.end().is_some() || seen.insert(next.fingerprint()) {
                        open.push(next);
                    }
                }
            }
        }
    }
    (fails, seen.len())
}

#[test]
fn weak_outcomes_show_where_they_may() {
    for path in collection("litmus") {
        let text = std::fs::read_to_string(&path).expect("readable");
        let expected = headers(&text, "expect");
        let compiled = compile_file(&path, &[]);
        let found: Vec<String> = MODELS
            .iter()
            .zip(["sc", "tso", "pso"])
            .map(|(memory, name)| {
                let (fails, states) = search(&compiled, *memory);
                assert!(states > 1);
                format!("{name}={}", if fails { "yes" } else { "no" })
            })
            .collect();
        assert_eq!(found.join(" "), expected[0], "{}", path.display());
    }
}
