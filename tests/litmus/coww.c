// expect: sc=no tso=no pso=no
// Coherence of writes: the first of two stores of one thread to the same variable is what is left.
#include <pthread.h>
#include <stdatomic.h>

void reach_error(void);

static _Atomic int x;

static void *thread1(void *arg) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_store_explicit(&x, 2, memory_order_relaxed);
    return arg;
}

int main(void) {
    pthread_t t1;
    pthread_create(&t1, 0, thread1, 0);
    pthread_join(t1, 0);
    if (atomic_load(&x) == 1) {
        reach_error();
    }
    return 0;
}
