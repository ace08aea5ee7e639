//! A shortened schedule fails as the long one did, and has no switch too many.

mod c_programs;

use c_programs::{Compiled, compile};
use ordain_model::failure::Failure;
use ordain_model::witness::{Execution, MemoryModel};
use ordain_vm::schedulers::{Follow, Random, Scheduler, StoreBuffers, run};
use ordain_vm::{Config, End, Inputs, Machine, RaceMode, shorten};

const LIMIT: u64 = 5_000;
const SEEDS: u64 = 500;

fn config(memory: MemoryModel) -> Config {
    Config { memory, races: RaceMode::Full, ..Config::default() }
}

fn failures(machine: &Machine) -> Vec<Failure> {
    let end = match machine.end() {
        Some(End::Failed(failure)) => Some(failure.clone()),
        _ => None,
    };
    machine.races().iter().cloned().chain(end).collect()
}

/// Failing runs of random schedules.
fn failing_runs(program: &Compiled, memory: MemoryModel) -> Vec<(Failure, Execution)> {
    let mut found = Vec::new();
    for seed in 0..SEEDS {
        let mut machine = Machine::alone(&program.program, &program.facts, config(memory));
        let mut scheduler: Box<dyn Scheduler> = match memory {
            MemoryModel::Sc => Box::new(Random::new(seed)),
            _ => Box::new(StoreBuffers::new(seed)),
        };
        run(&mut machine, scheduler.as_mut(), LIMIT);
        found.extend(failures(&machine).into_iter().map(|failure| (failure, machine.execution())));
    }
    assert!(!found.is_empty(), "no seed fails");
    found
}

/// The lengths, in turns, that schedules are shortened to.
fn shortened_lengths(text: &str, memory: MemoryModel) -> Vec<usize> {
    let program = compile(text);
    let mut lengths = Vec::new();
    for (claim, long) in failing_runs(&program, memory) {
        let short = shorten(&program.program, &program.facts, &long, &claim);
        assert!(short.schedule.len() <= long.schedule.len());
        let mut machine = Machine::alone(&program.program, &program.facts, config(memory));
        machine.provide_inputs(Inputs::of(&short));
        run(&mut machine, &mut Follow::new(&short.schedule), LIMIT);
        assert!(failures(&machine).iter().any(|failure| failure.same_claim(&claim)), "{claim:?} is lost");
        lengths.push(short.schedule.len());
    }
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

#[test]
fn a_lost_update_needs_one_interruption() {
    let text = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\natomic_int n;\n\
                void *add(void *p) { int seen = n; n = seen + 1; return p; }\n\
                int main(void) {\n pthread_t a, b;\n pthread_create(&a, 0, add, 0);\n pthread_create(&b, 0, add, 0);\n\
                pthread_join(a, 0);\n pthread_join(b, 0);\n assert(n == 2);\n return 0;\n}\n";
    // Main creates both; one reads, the other does all of its work, the first writes; main looks.
    assert_eq!(shortened_lengths(text, MemoryModel::Sc), [5]);
}

#[test]
fn a_race_needs_each_thread_once() {
    let text = "#include <pthread.h>\nint shared, other;\n\
                void *write(void *p) {\n other = 1;\n shared = 1;\n return p;\n}\n\
                int main(void) {\n pthread_t a;\n pthread_create(&a, 0, write, 0);\n shared = 2;\n\
                pthread_join(a, 0);\n return 0;\n}\n";
    // Main first, then the thread; or main creates, the thread writes, main writes.
    assert_eq!(shortened_lengths(text, MemoryModel::Sc), [2, 3]);
}

#[test]
fn stores_that_wait_stay_where_they_are_needed() {
    let text = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\natomic_int x, y;\nint a, b;\n\
                void *one(void *p) { atomic_store_explicit(&x, 1, memory_order_relaxed);\n\
                a = atomic_load_explicit(&y, memory_order_relaxed); return p; }\n\
                void *two(void *p) { atomic_store_explicit(&y, 1, memory_order_relaxed);\n\
                b = atomic_load_explicit(&x, memory_order_relaxed); return p; }\n\
                int main(void) {\n pthread_t t, u;\n pthread_create(&t, 0, one, 0);\n pthread_create(&u, 0, two, 0);\n\
                pthread_join(t, 0);\n pthread_join(u, 0);\n assert(a || b);\n return 0;\n}\n";
    let lengths = shortened_lengths(text, MemoryModel::Tso);
    assert!(lengths.iter().all(|&turns| turns <= 8), "{lengths:?}");
}
