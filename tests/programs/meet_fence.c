// A fence on one way to a place where ways meet orders nothing for who comes there by the other way, also where the way
// with the fence was seen first.
// check: assertion
// case: sc
// explore: safe
// case: tso
// memory: tso
// explore: bug assertion:43
// case: pso
// memory: pso
// explore: bug assertion:43
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
atomic_int x, y, c;
int r1, r2;
void *a(void *p) {
    int k = atomic_load_explicit(&c, memory_order_relaxed);
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    if (!k)
        atomic_thread_fence(memory_order_seq_cst);
    r1 = atomic_load_explicit(&y, memory_order_relaxed);
    return 0;
}
void *b(void *p) {
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    r2 = atomic_load_explicit(&x, memory_order_relaxed);
    return 0;
}
void *d(void *p) {
    atomic_store_explicit(&c, 1, memory_order_relaxed);
    return 0;
}
int main(void) {
    pthread_t t, u, v;
    pthread_create(&t, 0, a, 0);
    pthread_create(&u, 0, b, 0);
    pthread_create(&v, 0, d, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    pthread_join(v, 0);
    assert(r1 || r2 || !c);
    return 0;
}
