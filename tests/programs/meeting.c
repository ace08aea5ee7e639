// Paths of a thread that part at a decision, take a lock on one side (so that they cannot be executed under guards), and
// come together again. What they have in common from then on is explored once; what they have not must not be lost.
// case: one-side
// cflags: -DONE_SIDE
// explore: bug assertion:50
// case: other-side
// cflags: -DOTHER_SIDE
// explore: bug assertion:52
// case: read-again
// cflags: -DREAD_AGAIN
// explore: safe
// case: ordered
// cflags: -DORDERED
// explore: safe
// case: hidden
// cflags: -DHIDDEN
// explore: bug assertion:104
// case: known
// cflags: -DKNOWN
// explore: bug assertion:119 assertion:120
// case: variable
// cflags: -DVARIABLE
// explore: bug assertion:133
// case: reads
// cflags: -DREADS
// explore: bug assertion:160
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int x, turn, side, result;

static void in_section(atomic_int *where, int value) {
    pthread_mutex_lock(&mutex);
    *where = value;
    pthread_mutex_unlock(&mutex);
}

#if defined ONE_SIDE || defined OTHER_SIDE
static void *worker(void *arg) {
    if (x)
        in_section(&side, 1);
    result = turn;
    return 0;
}

static void finally(void) {
#ifdef ONE_SIDE
    assert(!(side == 1 && result == 1));
#else
    assert(!(side == 0 && result == 1));
#endif
}
#endif

#ifdef READ_AGAIN
// What was read on one side, and what was read on the other, is one of what was written.
static void *worker(void *arg) {
    int value = x;
    if (turn) {
        in_section(&side, 1);
        value = x;
    }
    in_section(&side, 0);
    assert(value <= 2);
    return 0;
}

static void finally(void) {}
#endif

#ifdef ORDERED
// Whichever side was taken, what was done there comes before what is done afterwards.
static void *worker(void *arg) {
    if (x) {
        turn = 3;
        in_section(&side, 1);
    } else {
        turn = 4;
        in_section(&side, 1);
    }
    result = 1;
    return 0;
}

static void *watcher(void *arg) {
    if (result)
        assert(side == 1);
    return 0;
}

static void finally(void) {}
#define WATCHED
#endif

#ifdef HIDDEN
// The write on one side hides what was there before, but not from those who come by the other.
static void *worker(void *arg) {
    result = 5;
    if (x)
        in_section(&result, 1);
    int before = result;
    assert(!(turn == 1 && before == 5));
    return 0;
}

static void finally(void) {}
#endif

#ifdef KNOWN
// What one side knows about a value that both still have.
static void *worker(void *arg) {
    int value = x;
    if (value > 1)
        in_section(&side, 1);
    in_section(&side, 2);
    int now = turn;
    assert(!(now == 1 && value > 1));
    assert(!(now == 1 && value == 0));
    return 0;
}

static void finally(void) {}
#endif

#ifdef VARIABLE
// A variable that its function does not use any more, but the one it calls does.
static void use(const int *value) {
    if (x == 2)
        in_section(&side, 1);
    in_section(&side, 3);
    assert(*value != 2);
}

static void *worker(void *arg) {
    int value = 1;
    if (x) {
        in_section(&side, 2);
        value = 2;
    }
    use(&value);
    return 0;
}

static void finally(void) {}
#endif

#ifdef READS
// One side reads in a place where the other does not; both read there later.
static int get(void) { return x; }

static void *worker(void *arg) {
    if (get() == 0)
        in_section(&side, get());
    result = get();
    return 0;
}

static void finally(void) { assert(!(side == 1 && result == 2)); }
#endif

int main(void) {
    // Others write these too, so that no thread has private knowledge of them.
    side = result = turn = x = 0;
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
#ifdef WATCHED
    pthread_t second;
    pthread_create(&second, 0, watcher, 0);
    x = 1;
    pthread_join(second, 0);
#else
    x = 1;
    x = 2;
    turn = 1;
    turn = 2;
#endif
    pthread_join(thread, 0);
    finally();
    return 0;
}
