//! Store buffers natively, value for value: random programs whose threads access the same few bytes in all sizes and orders,
//! and end with a status that is made of everything that was read. It has to be the machine's, under the same schedule.

mod support;

use ordain_judge::generator::Rng;
use ordain_model::witness::{MemoryModel, Turn};
use ordain_vm::End;
use std::fmt::Write;
use std::path::Path;
use support::Program;

const PROGRAMS: u64 = 12;
const RUNS: u64 = 12;
/// Enough to find every outcome that a litmus test allows; and how often it does not show where it must not.
const MOST_LITMUS_RUNS: u64 = 100_000;
const FORBIDDEN_RUNS: u64 = 2000;
const THREADS: u64 = 3;
const STATEMENTS: u64 = 9;
/// Bytes that all threads access.
const BYTES: u64 = 24;

#[test]
fn every_value_is_that_of_the_machine() {
    let (mut buffered, mut statuses) = (0, std::collections::BTreeSet::new());
    for seed in 0..PROGRAMS {
        let text = program(&mut Rng::new(seed));
        let program = Program::from_text(&text);
        for memory in [MemoryModel::Tso, MemoryModel::Pso] {
            for run in 0..RUNS {
                let (execution, end) = program.random_run_under(memory, run).expect("these programs end");
                program.agrees(&execution, &end).unwrap_or_else(|e| panic!("{seed}, {memory:?}, {run}: {e}\n{text}"));
                buffered += execution.schedule.iter().filter(|turn| matches!(turn, Turn::Commit { .. })).count();
                let End::Exit(status) = end else { panic!("{end:?}\n{text}") };
                statuses.insert(status);
            }
        }
    }
    // What was compared says something.
    assert!(buffered > 1000 && statuses.len() > 50, "{buffered} stores, {} statuses", statuses.len());
}

/// Native runs have to fail if they go wrong at all.
#[test]
fn another_order_of_stores_is_noticed() {
    let text = program(&mut Rng::new(0));
    let program = Program::from_text(&text);
    let mut noticed = 0;
    for run in 0..RUNS {
        let (mut execution, end) = program.random_run_under(MemoryModel::Pso, run).expect("these programs end");
        execution.memory = MemoryModel::Tso;
        noticed += usize::from(program.agrees(&execution, &end).is_err());
        execution.memory = MemoryModel::Sc;
        noticed += usize::from(program.agrees(&execution, &end).is_err());
    }
    assert!(noticed > RUNS as usize, "only {noticed} of {} were noticed", 2 * RUNS);
}

/// What a litmus test allows, a native run shows, and only that.
#[test]
fn litmus_tests_show_what_they_allow() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/litmus");
    let mut shown = 0;
    for entry in std::fs::read_dir(directory).expect("the litmus tests are there") {
        let path = entry.expect("a litmus test").path();
        let text = std::fs::read_to_string(&path).expect("a litmus test can be read");
        let expected = text.lines().next().and_then(|line| line.strip_prefix("// expect: ")).expect("what to expect");
        let program = Program::from_file(&path, &[], &[]);
        for (name, memory) in [("tso", MemoryModel::Tso), ("pso", MemoryModel::Pso)] {
            let allowed = expected.split_whitespace().any(|word| word == format!("{name}=yes"));
            let count = if allowed { MOST_LITMUS_RUNS } else { FORBIDDEN_RUNS };
            let mut runs = (0..count).filter_map(|seed| program.random_run_under(memory, seed));
            let failing = runs.find(|(_, end)| matches!(end, End::Failed(_)));
            assert_eq!(failing.is_some(), allowed, "{} {name}", path.display());
            if let Some((execution, end)) = failing {
                program.agrees(&execution, &end).unwrap_or_else(|e| panic!("{} {name}: {e}", path.display()));
                shown += 1;
            }
        }
    }
    assert!(shown > 20, "only {shown} outcomes are allowed");
}

fn program(rng: &mut Rng) -> String {
    let mut text = format!(
        "#include <pthread.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\n\
         static unsigned char bytes[{BYTES}] __attribute__((aligned(8)));\n\
         static unsigned results[{}];\n\
         static char other[{BYTES}];\n\
         static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;\n",
        THREADS + 1
    );
    for thread in 1..=THREADS {
        let _ = writeln!(text, "static void *thread{thread}(void *arg) {{\n    unsigned sum = {thread};");
        for nth in 0..STATEMENTS {
            let statement = statement(rng, 10 * thread + nth);
            let _ = writeln!(text, "    {statement}");
        }
        let _ = writeln!(text, "    results[{thread}] = sum;\n    return arg;\n}}");
    }
    text.push_str("int main(void) {\n");
    for thread in 1..=THREADS {
        let _ = writeln!(text, "    pthread_t t{thread};\n    pthread_create(&t{thread}, 0, thread{thread}, 0);");
    }
    for thread in 1..=THREADS {
        let _ = writeln!(text, "    pthread_join(t{thread}, 0);");
    }
    let _ = write!(
        text,
        "    unsigned sum = 0;\n\
         \x20   for (int i = 0; i <= {THREADS}; i++) sum = sum * 31 + results[i];\n\
         \x20   for (int i = 0; i < {BYTES}; i++) sum = sum * 31 + bytes[i] + other[i];\n\
         \x20   return (sum ^ sum >> 8 ^ sum >> 16 ^ sum >> 24) & 0xff;\n}}\n"
    );
    text
}

fn statement(rng: &mut Rng, value: u64) -> String {
    let size = 1 << rng.below(4);
    let offset = rng.below(BYTES as u32 / size) * size;
    let place = format!("(uint{}_t *)(bytes + {offset})", 8 * size);
    let value = value * 0x0101_0101_0101_0101;
    match rng.below(20) {
        0..5 => format!("*{place} = (uint{}_t){value}u;", 8 * size),
        5..8 => {
            let order = ["RELAXED", "RELAXED", "RELEASE", "SEQ_CST"][rng.below(4) as usize];
            format!("__atomic_store_n({place}, (uint{}_t){value}u, __ATOMIC_{order});", 8 * size)
        }
        8..13 => format!("sum = sum * 33 + (unsigned)*{place};"),
        13..15 => {
            let order = ["RELAXED", "ACQUIRE", "SEQ_CST"][rng.below(3) as usize];
            format!("sum = sum * 33 + (unsigned)__atomic_load_n({place}, __ATOMIC_{order});")
        }
        15 => {
            let order = ["ACQUIRE", "RELEASE", "ACQ_REL", "SEQ_CST"][rng.below(4) as usize];
            format!("__atomic_thread_fence(__ATOMIC_{order});")
        }
        16 => format!("sum = sum * 33 + (unsigned)__atomic_fetch_add({place}, 3, __ATOMIC_RELAXED);"),
        17 => format!(
            "{{ uint{0}_t old = 0; sum += __atomic_compare_exchange_n({place}, &old, 77, 0, __ATOMIC_RELAXED, \
             __ATOMIC_RELAXED); }}",
            8 * size
        ),
        18 if rng.chance(50) => "pthread_mutex_lock(&mutex); bytes[1]++; pthread_mutex_unlock(&mutex);".to_owned(),
        18 => format!("memcpy(bytes + {offset}, other, {size});"),
        // Made of what this thread has stored, also where nobody else sees it yet.
        _ => format!("snprintf(other, {BYTES}, \"%.3s\", (char *)bytes + {offset});"),
    }
}
