// expect: sc=no tso=yes pso=yes
// Store buffering: both threads miss the other's store.
// A full fence in the first thread only.
#include <pthread.h>
#include <stdatomic.h>

void reach_error(void);

static _Atomic int x, y;
static int r1, r2;

static void *thread1(void *arg) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    r1 = atomic_load_explicit(&y, memory_order_relaxed);
    return arg;
}

static void *thread2(void *arg) {
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    r2 = atomic_load_explicit(&x, memory_order_relaxed);
    return arg;
}

int main(void) {
    pthread_t t1;
    pthread_t t2;
    pthread_create(&t1, 0, thread1, 0);
    pthread_create(&t2, 0, thread2, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    if (r1 == 0 && r2 == 0) {
        reach_error();
    }
    return 0;
}
