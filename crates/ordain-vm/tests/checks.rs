//! Each check fails where it should, and says what it is about.

mod c_programs;

use c_programs::{compile, compile_file};
use ordain_model::failure::{Failure, FailureKind};
use ordain_vm::schedulers::{RunToBlock, run};
use ordain_vm::{Action, Config, End, Inputs, Machine};

const LIMIT: u64 = 100_000;

const HEAD: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
    #include <limits.h>\nint zero, table[4]; int *null; pthread_mutex_t m; volatile int index_past = 4;\n";

fn end_of(body: &str) -> End {
    let compiled = compile(&format!("{HEAD}{body}"));
    let mut machine = Machine::alone(&compiled.program, &compiled.facts, Config::default());
    run(&mut machine, &mut RunToBlock::default(), LIMIT);
    machine.end().expect("the run ends").clone()
}

fn failure_of(body: &str) -> Failure {
    match end_of(body) {
        End::Failed(failure) => failure,
        end => panic!("{end:?}"),
    }
}

#[track_caller]
fn fails(kind: FailureKind, message: &str, body: &str) {
    let failure = failure_of(body);
    assert_eq!(failure.kind, kind, "{failure:?}");
    assert!(failure.message.contains(message), "{}", failure.message);
    // Bodies start on line 7 of the file; the failing line is marked.
    let marked = body.lines().position(|line| line.contains("/*here*/")).expect("a mark");
    assert_eq!(failure.place.line as usize, 7 + marked, "{failure:?}");
}

#[test]
fn assertions_and_aborts() {
    fails(FailureKind::Assertion, "zero == 1", "int main() {\n/*here*/ assert(zero == 1); }");
    fails(FailureKind::Abort, "abort", "int main() {\n/*here*/ abort(); }");
    fails(FailureKind::Assertion, "error", "void reach_error(void); int main() {\n/*here*/ reach_error(); }");
}

#[test]
fn wild_addresses() {
    fails(FailureKind::Null, "write of 4 bytes through a null pointer", "int main() {\n/*here*/ *null = 1; }");
    fails(FailureKind::Null, "(0xc)", "int main() {\n/*here*/ return null[3]; }");
    let past = "int main() {\n/*here*/ table[index_past] = 1; }";
    fails(FailureKind::Bounds, "write of 4 bytes out of bounds, at 'table' + 16 (16 bytes)", past);
    let heap = "int main() {\nchar *p = malloc(3);\n/*here*/ p[3] = 1; }";
    fails(FailureKind::Bounds, "heap object allocated at", heap);
    fails(FailureKind::Bounds, "", "int main() {\n/*here*/ return *(volatile int *)0x123456789; }");
    fails(
        FailureKind::Null,
        "function pointer",
        "int main() {\nvoid (*f)(void) = (void (*)(void))null;\n/*here*/ f(); }",
    );
}

#[test]
fn lifetimes() {
    let freed = "int main() {\nint *p = malloc(4); *p = 1;\nfree(p);\n/*here*/ return *p; }";
    fails(FailureKind::UseAfterFree, "which has been freed", freed);
    let returned =
        "int *f(int x) { int y = x; int *volatile p = &y; return p; }\nint main() {\n/*here*/ return *f(3); }";
    fails(FailureKind::UseAfterFree, "'y', whose function has returned", returned);
    let twice = "int main() {\nchar *p = malloc(1);\nfree(p);\n/*here*/ free(p); }";
    fails(FailureKind::DoubleFree, "freed twice", twice);
    fails(FailureKind::Bounds, "free of 'zero'", "int main() {\n/*here*/ free(&zero); }");
    fails(FailureKind::Bounds, "+ 1", "int main() {\nchar *p = malloc(2);\n/*here*/ free(p + 1); }");
    fails(FailureKind::UseAfterFree, "freed", "int main() {\nchar *p = malloc(1);\nrealloc(p, 2);\n/*here*/ *p = 1; }");
}

#[test]
fn divisions() {
    fails(FailureKind::Division, "by zero", "int main() {\n/*here*/ return 1 / zero; }");
    fails(FailureKind::Division, "by zero", "int main() {\n/*here*/ return 1u % (unsigned)zero; }");
    fails(FailureKind::Division, "does not fit", "int main() {\nzero = -1;\n/*here*/ return INT_MIN / zero; }");
}

#[test]
fn locks() {
    fails(FailureKind::LockMisuse, "nobody holds", "int main() {\n/*here*/ pthread_mutex_unlock(&m); }");
    let destroyed = "int main() {\npthread_mutex_lock(&m);\n/*here*/ pthread_mutex_destroy(&m); }";
    fails(FailureKind::LockMisuse, "'m' is destroyed while it is locked", destroyed);
    let twice = "int main() {\npthread_mutex_lock(&m);\n/*here*/ pthread_mutex_lock(&m); }";
    fails(FailureKind::Deadlock, "already holds", twice);
    let foreign = "void *f(void *a) {\n/*here*/ pthread_mutex_unlock(&m); return a; }\n\
        int main() { pthread_t t; pthread_mutex_lock(&m); pthread_create(&t, 0, f, 0); pthread_join(t, 0); }";
    fails(FailureKind::LockMisuse, "another thread holds", foreign);
}

/// Main spins, with `wait` as the way to do it, for what no thread will ever do.
fn spins(wait: &str) -> String {
    format!(
        "#include <stdatomic.h>\n#include <sched.h>\natomic_int l = 1; atomic_flag f = ATOMIC_FLAG_INIT; int a[3];\n\
        int ready(void) {{ for (int i = 0; i < 3; i++) if (a[i]) return 1; return 0; }}\n\
        void *other(void *p) {{ zero = 1; return p; }}\n\
        int main() {{ pthread_t t; pthread_create(&t, 0, other, 0); atomic_flag_test_and_set(&f);\n\
        /*here*/ {wait}\n}}"
    )
}

#[test]
fn loops_that_wait_for_nothing_hang() {
    for wait in [
        "while (atomic_load(&l)) sched_yield();",
        "while (atomic_exchange(&l, 1)) {}",
        "while (atomic_flag_test_and_set(&f)) {}",
        "int e = 0; while (!atomic_compare_exchange_strong(&l, &e, 2)) e = 0;",
        "for (;;) if (ready()) break;",
        "do {} while (!ready());",
    ] {
        let failure = failure_of(&spins(wait));
        assert_eq!(failure.kind, FailureKind::Hang, "{wait}: {failure:?}");
        assert!(failure.others.is_empty(), "{failure:?}");
    }
}

#[test]
fn uninitialised_values() {
    let branch = "int main() {\nint *p = malloc(4);\n/*here*/ if (*p) return 1;\nreturn 0; }";
    fails(FailureKind::Uninitialised, "decides a branch", branch);
    let address = "int main() {\nint **p = malloc(8);\n/*here*/ return **p; }";
    fails(FailureKind::Uninitialised, "address", address);
    let local = "int main() {\nint x; int *volatile p = &x;\n/*here*/ if (*p == 3) return 1;\nreturn 0; }";
    fails(FailureKind::Uninitialised, "branch", local);
}

#[test]
fn undefined_bytes_may_be_copied() {
    let padded = "struct s { int a; char b; }; struct s f(struct s x) { return x; }\n\
        int main() { struct s v; v.a = 1; v.b = 2; struct s w = f(v); struct s *h = malloc(sizeof *h); *h = w;\n\
        return h->a == 1 && h->b == 2 ? 0 : 1; }";
    assert_eq!(end_of(padded), End::Exit(0));
}

#[test]
fn what_is_not_known_is_named() {
    let unknown = "int frobnicate(int); int main() {\nreturn frobnicate(1); }";
    match end_of(unknown) {
        End::Unsupported { what, place } => {
            assert!(what.contains("'frobnicate'"), "{what}");
            assert_eq!(place.line, 8);
        }
        end => panic!("{end:?}"),
    }
    let endless = "int main() { volatile int x = 0; for (;;) {} }";
    assert!(matches!(end_of(endless), End::Unsupported { .. }));
}

#[test]
fn the_end_of_main_and_of_all_threads() {
    assert_eq!(end_of("int main() { return 3; }"), End::Exit(3));
    assert_eq!(end_of("int main() { exit(4); }"), End::Exit(4));
    let last = "void *f(void *a) { zero = 1; return a; }\n\
        int main() { pthread_t t; pthread_create(&t, 0, f, 0); pthread_exit(0); }";
    assert_eq!(end_of(last), End::Exit(0));
    let assumed = "void __VERIFIER_assume(int); int main() { __VERIFIER_assume(zero); }";
    assert_eq!(end_of(assumed), End::AssumeViolated);
}

#[test]
fn inputs_are_what_is_given_and_are_logged() {
    let text = "int __VERIFIER_nondet_int(void); void ordain_input(void *, unsigned long, const char *);\n\
        int main() { short s; ordain_input(&s, sizeof s, \"s\"); return s + __VERIFIER_nondet_int(); }";
    let compiled = compile(text);
    let config = Config { record: true, ..Config::default() };
    let mut machine = Machine::alone(&compiled.program, &compiled.facts, config);
    let mut inputs = Inputs::zero();
    let main = machine.name(ordain_vm::ThreadId::MAIN).clone();
    inputs.set(main.clone(), 0, vec![0xff, 0xff]);
    inputs.set(main, 1, vec![8, 0, 0, 0]);
    machine.provide_inputs(inputs);
    run(&mut machine, &mut RunToBlock::default(), LIMIT);
    assert_eq!(machine.end(), Some(&End::Exit(7)));
    let logged = machine.log().iter().filter(|e| matches!(e.action, Action::Input { .. })).count();
    assert_eq!(logged, 2);
    let inputs = machine.execution().inputs;
    assert_eq!((inputs[0].name.as_str(), inputs[0].bytes.as_slice()), ("s", [0xff, 0xff].as_slice()));
}

/// Programs without anything to choose print in the machine what they print natively.
#[test]
fn output_is_what_the_native_program_prints() {
    let text = r#"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node { struct node *next; long key; char name[12]; };
static int compare(const char *a, const char *b) { return strcmp(a, b) < 0; }
static unsigned hash(const char *s) { unsigned h = 5381; while (*s) h = h * 33 ^ (unsigned char)*s++; return h; }
static long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static void *work(void *arg) { long *sums = arg; for (int i = 0; i < 100; i++) sums[i % 4] += i * i; return (void *)sums[3]; }
static int table[3][4] = {{1, -2, 3}, {4, 5, -600}};
int main(int argc, char **argv) {
    struct node *head = 0;
    for (int i = 0; i < 10; i++) {
        struct node *n = calloc(1, sizeof *n);
        n->key = i * 7919 % 31 - 10;
        memcpy(n->name, "node", 5);
        n->name[4] = 'a' + i;
        n->next = head;
        head = n;
    }
    for (struct node *n = head; n; n = n->next) printf("%s=%ld%c", n->name, n->key, n->next ? ' ' : '\n');
    printf("[%5d|%-6s|%08x|%+d|%u|%lu|%c|%%|%.3d|%hhd]\n", -42, "ab", 0xbeef, 7, 4000000000u, 1ul << 40, 'x', 5, 300);
    printf("%d %u %ld\n", compare("abc", "abd"), hash("ordain"), fib(15));
    unsigned char bytes[8]; memset(bytes, 0xa5, sizeof bytes);
    long value; memcpy(&value, bytes, 8);
    printf("%lx %d %d %d\n", value, table[1][2], -7 / 2, -7 % 3);
    short s = -3; unsigned char u = s; signed char c = 200;
    printf("%d %d %d %d\n", s >> 1, u, c, (int)(s * 100000u >> 3));
    long sums[4] = {0}; pthread_t t; void *last;
    pthread_create(&t, 0, work, sums); pthread_join(t, &last);
    printf("%ld %ld\n", sums[0], (long)last);
    int *grown = malloc(2 * sizeof(int)); grown[0] = 1; grown[1] = 2;
    grown = realloc(grown, 4 * sizeof(int)); grown[3] = 4;
    switch (grown[1]) { case 2: puts("two"); break; case 3: puts("three"); break; default: putchar('?'); }
    fprintf(stderr, "to stderr\n");
    while (head) { struct node *next = head->next; free(head); head = next; }
    return grown[0] + grown[3];
}
"#;
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (source, binary) = (directory.path().join("test.c"), directory.path().join("test"));
    std::fs::write(&source, text).expect("can be written");
    let clang = std::process::Command::new(ordain_ir::CLANG)
        .args(["-w", "-O1", "-pthread", "-o"])
        .args([&binary, &source])
        .status()
        .expect("clang runs");
    assert!(clang.success());
    let native = std::process::Command::new(&binary).output().expect("the program runs");
    let compiled = compile_file(&source, &[]);
    let mut machine = Machine::alone(&compiled.program, &compiled.facts, Config::default());
    run(&mut machine, &mut RunToBlock::default(), 10 * LIMIT);
    assert_eq!(machine.end(), Some(&End::Exit(native.status.code().expect("an exit status"))));
    assert_eq!(String::from_utf8_lossy(machine.output()), String::from_utf8_lossy(&native.stdout));
    assert_eq!(machine.error_output(), native.stderr);
}
