// Peterson's lock with relaxed atomics: right if nothing is reordered.
// check: assertion,hang
// case: sc
// memory: sc
// explore: safe
// case: tso
// memory: tso
// explore: bug assertion:23
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define SET(v, n) atomic_store_explicit(&v, n, memory_order_relaxed)
#define GET(v) atomic_load_explicit(&v, memory_order_relaxed)
atomic_int wants[2], turn, inside;

void *worker(void *arg) {
    long me = (long)arg, other = 1 - me;
    SET(wants[me], 1);
    SET(turn, other);
    while (GET(wants[other]) && GET(turn) == other) {
    }
    assert(atomic_fetch_add(&inside, 1) == 0);
    atomic_fetch_sub(&inside, 1);
    SET(wants[me], 0);
    return 0;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, worker, (void *)0);
    pthread_create(&u, 0, worker, (void *)1);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
