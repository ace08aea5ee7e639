// expect: sc=no tso=yes pso=yes
// Store buffering with own reads of locations that another thread writes as well.
#include <pthread.h>
#include <stdatomic.h>

void reach_error(void);

static _Atomic int x, y;
static int r1, r2, r3, r4;

static void *thread1(void *arg) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    r1 = atomic_load_explicit(&x, memory_order_relaxed);
    r2 = atomic_load_explicit(&y, memory_order_relaxed);
    return arg;
}

static void *thread2(void *arg) {
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    r3 = atomic_load_explicit(&y, memory_order_relaxed);
    r4 = atomic_load_explicit(&x, memory_order_relaxed);
    return arg;
}

static void *thread3(void *arg) {
    atomic_store_explicit(&x, 2, memory_order_relaxed);
    atomic_store_explicit(&y, 2, memory_order_relaxed);
    return arg;
}

int main(void) {
    pthread_t t1;
    pthread_t t2;
    pthread_t t3;
    pthread_create(&t1, 0, thread1, 0);
    pthread_create(&t2, 0, thread2, 0);
    pthread_create(&t3, 0, thread3, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    pthread_join(t3, 0);
    if (r1 == 1 && r2 == 0 && r3 == 1 && r4 == 0) {
        reach_error();
    }
    return 0;
}
