// Paths of a thread that part at a decision, take a lock on one side (so that they cannot be executed under guards), and
// come together again. What they have in common from then on is explored once; what they have not must not be lost.
// case: one-side
// cflags: -DONE_SIDE
// explore: bug assertion:@one
// case: other-side
// cflags: -DOTHER_SIDE
// explore: bug assertion:@other
// case: read-again
// cflags: -DREAD_AGAIN
// explore: safe
// case: ordered
// cflags: -DORDERED
// explore: safe
// case: hidden
// cflags: -DHIDDEN
// explore: bug assertion:@hidden
// case: known
// cflags: -DKNOWN
// explore: bug assertion:@known
// case: variable
// cflags: -DVARIABLE
// explore: bug assertion:@variable
// case: reads
// cflags: -DREADS
// explore: bug assertion:@reads
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int x, seen, done, cell;

static void in_section(atomic_int *where, int value) {
    pthread_mutex_lock(&mutex);
    *where = value;
    pthread_mutex_unlock(&mutex);
}

#if defined ONE_SIDE || defined OTHER_SIDE || defined ORDERED
static void *worker(void *arg) {
    if (x) {
        cell = 1;
        in_section(&seen, 1);
    }
    done = 1;
    return 0;
}

static void check(void) {
#ifdef ONE_SIDE
    assert(!(seen && done)); // @one
#elif defined OTHER_SIDE
    assert(seen || !done); // @other
#else
    if (done && cell)
        assert(seen);
#endif
}
#endif

#ifdef READ_AGAIN
// What was read on one side, and what was read on the other, is one of what was written.
static void *worker(void *arg) {
    int value = x;
    if (cell) {
        in_section(&seen, 1);
        value = x;
    }
    in_section(&seen, 0);
    assert(value >= 0 && value <= 2);
    return 0;
}

static void check(void) { cell = 1; }
#endif

#ifdef HIDDEN
// The write on one side hides what was there before, but not from those who come by the other.
static void *worker(void *arg) {
    cell = 5;
    if (x)
        in_section(&cell, 1);
    assert(cell != 5); // @hidden
    return 0;
}

static void check(void) { cell = 9; }
#endif

#ifdef KNOWN
// What one side knows about a value that both still have.
static void *worker(void *arg) {
    int value = x;
    if (value > 1)
        in_section(&seen, 1);
    in_section(&done, 1);
    assert(value <= 1); // @known
    return 0;
}

static void check(void) {}
#endif

#ifdef VARIABLE
// A variable that its function does not use any more, but the one it calls does.
static void use(const int *value) {
    if (x == 2)
        in_section(&seen, 1);
    in_section(&done, 1);
    assert(*value != 2); // @variable
}

static void *worker(void *arg) {
    int value = 1;
    if (x) {
        in_section(&seen, 2);
        value = 2;
    }
    use(&value);
    return 0;
}

static void check(void) {}
#endif

#ifdef READS
// One side reads in a place where the other does not; both read there later.
static int get(void) { return x; }

static void *worker(void *arg) {
    if (get() == 0)
        in_section(&seen, get());
    in_section(&done, 1);
    cell = get();
    return 0;
}

static void check(void) { assert(!(seen == 1 && cell == 2)); } // @reads
#endif

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    x = 1;
    x = 2;
    check();
    pthread_join(thread, 0);
#ifndef HIDDEN
    check();
#endif
    return 0;
}
