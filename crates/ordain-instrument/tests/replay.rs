//! Failures that the machine found happen natively as well, every time.

mod support;

use ordain_instrument::NativeOutcome;
use ordain_model::failure::FailureKind;
use support::Program;

const ROUNDS: usize = 20;

fn reproduces(kind: FailureKind, text: &str) {
    always_fails(kind, &Program::from_text(text));
}

fn always_fails(kind: FailureKind, program: &Program) {
    let (execution, failure) = program.failing_run(kind);
    for _ in 0..ROUNDS {
        assert_eq!(program.replay(&execution, &failure), NativeOutcome::Reproduced, "{failure:?}\n{execution:?}");
    }
}

#[test]
fn lost_update() {
    reproduces(
        FailureKind::Assertion,
        r#"
        #include <assert.h>
        #include <pthread.h>
        int counter;
        void *add(void *unused) { int c = counter; counter = c + 1; return 0; }
        int main(void) {
            pthread_t a, b;
            pthread_create(&a, 0, add, 0);
            pthread_create(&b, 0, add, 0);
            pthread_join(a, 0);
            pthread_join(b, 0);
            assert(counter == 2);
        }"#,
    );
}

/// Optimised code has calls whose operands are no values: what is known of pointers that do not alias.
#[test]
fn code_that_was_optimised() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("program.c");
    let text = r#"
        #include <assert.h>
        #include <pthread.h>
        int x, y;
        static void mix(int *restrict to, int *restrict from) { *to = *from; *from += *to; *to += *from; }
        void *work(void *p) { mix(&x, &y); return p; }
        int main(void) {
            pthread_t t;
            y = 1;
            pthread_create(&t, 0, work, 0);
            mix(&y, &x);
            pthread_join(t, 0);
            assert(x == 3);
        }"#;
    std::fs::write(&file, text).expect("can be written");
    always_fails(FailureKind::Assertion, &Program::from_file(&file, &["-O2".to_owned()], &[]));
}

#[test]
fn order_violation() {
    reproduces(
        FailureKind::Assertion,
        r#"
        #include <assert.h>
        #include <pthread.h>
        int ready, data;
        void *produce(void *unused) { ready = 1; data = 42; return 0; }
        int main(void) {
            pthread_t t;
            pthread_create(&t, 0, produce, 0);
            if (ready) assert(data == 42);
            pthread_join(t, 0);
        }"#,
    );
}

#[test]
fn deadlock_of_two_mutexes() {
    reproduces(
        FailureKind::Deadlock,
        r#"
        #include <pthread.h>
        pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
        void *other(void *unused) {
            pthread_mutex_lock(&b);
            pthread_mutex_lock(&a);
            pthread_mutex_unlock(&a);
            pthread_mutex_unlock(&b);
            return 0;
        }
        int main(void) {
            pthread_t t;
            pthread_create(&t, 0, other, 0);
            pthread_mutex_lock(&a);
            pthread_mutex_lock(&b);
            pthread_mutex_unlock(&b);
            pthread_mutex_unlock(&a);
            pthread_join(t, 0);
        }"#,
    );
}

#[test]
fn null_pointer_between_check_and_use() {
    reproduces(
        FailureKind::Null,
        r#"
        #include <pthread.h>
        int value;
        int *shared = &value;
        void *reset(void *unused) { shared = 0; return 0; }
        int main(void) {
            pthread_t t;
            pthread_create(&t, 0, reset, 0);
            if (shared) *shared = 1;
            pthread_join(t, 0);
        }"#,
    );
}

#[test]
fn use_after_free() {
    reproduces(
        FailureKind::UseAfterFree,
        r#"
        #include <pthread.h>
        #include <stdlib.h>
        struct node { int key; int value; } *node;
        void *release(void *unused) { free(node); return 0; }
        int main(void) {
            node = calloc(1, sizeof *node);
            pthread_t t;
            pthread_create(&t, 0, release, 0);
            node->value = 3;
            pthread_join(t, 0);
        }"#,
    );
}

#[test]
fn use_after_return() {
    reproduces(
        FailureKind::UseAfterFree,
        r#"
        #include <pthread.h>
        int *shared;
        pthread_t t;
        void *use(void *unused) { *shared = 1; return 0; }
        void start(void) { int local = 0; shared = &local; pthread_create(&t, 0, use, 0); }
        int main(void) { start(); pthread_join(t, 0); }"#,
    );
}

#[test]
fn double_free() {
    reproduces(
        FailureKind::DoubleFree,
        r#"
        #include <pthread.h>
        #include <stdlib.h>
        void *block;
        void *release(void *unused) { if (block) { free(block); block = 0; } return 0; }
        int main(void) {
            block = malloc(8);
            pthread_t a, b;
            pthread_create(&a, 0, release, 0);
            pthread_create(&b, 0, release, 0);
            pthread_join(a, 0);
            pthread_join(b, 0);
        }"#,
    );
}

#[test]
fn overrun_of_a_global() {
    reproduces(
        FailureKind::Bounds,
        r#"
        #include <pthread.h>
        int slots[4], guard[4], next;
        void *put(void *unused) { for (int i = 0; i < 3; i++) { if (next < 4) slots[next++] = i; } return 0; }
        int main(void) {
            pthread_t a, b;
            pthread_create(&a, 0, put, 0);
            pthread_create(&b, 0, put, 0);
            pthread_join(a, 0);
            pthread_join(b, 0);
        }"#,
    );
}

#[test]
fn overrun_of_five_bytes_on_the_heap_inside_a_library_function() {
    reproduces(
        FailureKind::Bounds,
        r#"
        #include <pthread.h>
        #include <stdlib.h>
        #include <string.h>
        int size = 5;
        void *grow(void *unused) { size = 6; return 0; }
        int main(void) {
            char *text = malloc(5);
            pthread_t t;
            pthread_create(&t, 0, grow, 0);
            memset(text, 'x', size);
            pthread_join(t, 0);
        }"#,
    );
}

#[test]
fn division_by_a_shared_zero() {
    reproduces(
        FailureKind::Division,
        r#"
        #include <pthread.h>
        int divisor = 1;
        void *clear(void *unused) { divisor = 0; return 0; }
        int main(void) {
            pthread_t t;
            pthread_create(&t, 0, clear, 0);
            int unused_quotient = 10 / divisor;
            pthread_join(t, 0);
        }"#,
    );
}

#[test]
fn assertion_that_needs_inputs() {
    reproduces(
        FailureKind::Assertion,
        r#"
        #include <assert.h>
        #include <pthread.h>
        #include <ordain.h>
        unsigned char __VERIFIER_nondet_uchar(void);
        int limit;
        void *set(void *unused) { ordain_input(&limit, sizeof limit, "limit"); return 0; }
        int main(void) {
            pthread_t t;
            pthread_create(&t, 0, set, 0);
            unsigned char x = __VERIFIER_nondet_uchar();
            if (x > 200) assert(limit < 3);
            pthread_join(t, 0);
        }"#,
    );
}

#[test]
fn threads_created_in_loops_and_their_values() {
    reproduces(
        FailureKind::Assertion,
        r#"
        #include <assert.h>
        #include <pthread.h>
        long turn;
        void *leaf(void *n) { turn = (long)n; return (void *)turn; }
        void *branch(void *n) {
            pthread_t t[2];
            long sum = 0;
            for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, leaf, (void *)(10 * (long)n + i));
            for (int i = 0; i < 2; i++) { void *r; pthread_join(t[i], &r); sum += (long)r; }
            return (void *)sum;
        }
        int main(void) {
            pthread_t t[2];
            long sum = 0;
            for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, branch, (void *)(i + 1));
            for (int i = 0; i < 2; i++) { void *r; pthread_join(t[i], &r); sum += (long)r; }
            assert(sum == 10 + 11 + 20 + 21);
        }"#,
    );
}

#[test]
fn hang_of_a_spin_loop() {
    reproduces(
        FailureKind::Hang,
        r#"
        #include <pthread.h>
        #include <stdatomic.h>
        atomic_int flag;
        void *wait(void *unused) { while (!atomic_load(&flag)) {} return 0; }
        int main(void) {
            pthread_t t;
            pthread_create(&t, 0, wait, 0);
            pthread_join(t, 0);
        }"#,
    );
}

#[test]
fn arguments_are_objects_like_others() {
    const PAST_THE_END: &str = r#"
        #include <assert.h>
        int main(int argc, char **argv) {
            assert(argc == 2 && argv[0][0] == 'p' && argv[2] == 0);
            int i = 0;
            while (argv[1][i] != 'z') i++;
            return i;
        }"#;
    always_fails(FailureKind::Bounds, &Program::with_args(PAST_THE_END, &["abc"]));
    always_fails(FailureKind::Assertion, &Program::with_args(PAST_THE_END, &["a", "b"]));
}

#[test]
fn unlock_of_a_mutex_that_another_thread_holds() {
    reproduces(
        FailureKind::LockMisuse,
        r#"
        #include <pthread.h>
        pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        void *hold(void *unused) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; }
        int main(void) {
            pthread_t t;
            pthread_create(&t, 0, hold, 0);
            if (pthread_mutex_trylock(&m)) pthread_mutex_unlock(&m);
            pthread_join(t, 0);
        }"#,
    );
}
