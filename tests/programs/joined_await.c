// A loop that waits, and on some rounds does something, in a function that is called: rounds that do nothing are for nothing,
// although both kinds are joined again. The other thread is waited for, however long it takes.
// explore: safe
// check: assertion,race,deadlock,hang
// case: two
// cflags: -DJOBS=2
// case: three
// cflags: -DJOBS=3
// case: lost
// cflags: -DJOBS=2 -DLOST
// explore: bug hang:45
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int ready, done;
static int sum;

static int work(int seen) {
    int has = atomic_load(&ready);
    if (has > seen) {
        sum += has;
        return seen + 1;
    }
    return seen;
}

static void *worker(void *arg) {
    int seen = 0;
#ifdef LOST
    while (seen < JOBS + 1)
#else
    while (seen < JOBS)
#endif
        seen = work(seen);
    atomic_store(&done, 1);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    for (int i = 0; i < JOBS; i++)
        atomic_fetch_add(&ready, 1);
    pthread_join(t, 0);
    assert(sum >= JOBS && done);
    return 0;
}
