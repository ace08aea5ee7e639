// Message passing with relaxed atomics: right as long as stores stay in order.
// case: sc
// memory: sc
// explore: safe
// case: tso
// memory: tso
// explore: safe
// case: pso
// memory: pso
// explore: bug assertion:27
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int data, ready;

void *sender(void *arg) {
    atomic_store_explicit(&data, 5, memory_order_relaxed);
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, sender, 0);
    if (atomic_load_explicit(&ready, memory_order_relaxed))
        assert(atomic_load_explicit(&data, memory_order_relaxed) == 5);
    pthread_join(t, 0);
    return 0;
}
