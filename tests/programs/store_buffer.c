// Both threads may read the old value when stores wait in a buffer.
// case: sc
// memory: sc
// explore: safe
// assumes: memory is sequentially consistent
// case: tso
// memory: tso
// explore: bug assertion:50
// case: pso
// memory: pso
// explore: bug assertion:50
// case: tso-fenced
// memory: tso
// cflags: -DFENCE=atomic_thread_fence(memory_order_seq_cst)
// explore: safe
// case: pso-fenced
// memory: pso
// cflags: -DFENCE=atomic_thread_fence(memory_order_seq_cst)
// explore: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef FENCE
#define FENCE
#endif
atomic_int x, y;
int a, b;

void *first(void *arg) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    FENCE;
    a = atomic_load_explicit(&y, memory_order_relaxed);
    return 0;
}

void *second(void *arg) {
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    FENCE;
    b = atomic_load_explicit(&x, memory_order_relaxed);
    return 0;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, first, 0);
    pthread_create(&u, 0, second, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    assert(a == 1 || b == 1);
    return 0;
}
