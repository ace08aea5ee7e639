// expect: sc=no tso=no pso=no
// Store buffering with a read-modify-write of something else in between, which empties the buffer.
#include <pthread.h>
#include <stdatomic.h>

void reach_error(void);

static _Atomic int x, y, z;
static int r1, r2;

static void *thread1(void *arg) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&z, 1, memory_order_relaxed);
    r1 = atomic_load_explicit(&y, memory_order_relaxed);
    return arg;
}

static void *thread2(void *arg) {
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&z, 1, memory_order_relaxed);
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
