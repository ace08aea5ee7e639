// A store that is sequentially consistent is no fence: whoever sees the relaxed store after it has not synchronised with
// anything. With a fence between the two it has.
// check: race
// case: store
// explore: bug race:28-35
// case: store-pso
// memory: pso
// explore: bug race:28-35
// case: guarded
// cflags: -DGUARDED
// explore: bug race:28-35 race:28-37
// case: fence
// cflags: -DFENCE
// explore: safe
// case: seen
// cflags: -DSEEN
// explore: safe
#include <pthread.h>
#include <stdatomic.h>

static int x;
static atomic_int y;
static atomic_int a;

static void *worker(void *arg) {
    while (!atomic_load_explicit(&a, memory_order_acquire))
        ;
    x = 3;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    x = 1;
#ifdef GUARDED
    if (x == 2)
        atomic_store(&y, 1);
#else
    atomic_store(&a, 1);
#endif
#ifdef FENCE
    atomic_thread_fence(memory_order_release);
#endif
#ifndef SEEN
    atomic_store_explicit(&a, 1, memory_order_relaxed);
#endif
    pthread_join(t, 0);
    return 0;
}
