// A ring for one producer and one consumer, without locks: an index is published after the data. The faulty one publishes
// first.
// case: safe
// cflags: -DN=1
// explore: safe
// case: safe-3
// cflags: -DN=3
// explore: safe
// case: safe-pso
// cflags: -DN=1
// memory: pso
// check: assertion,hang
// explore: safe
// case: bug
// cflags: -DN=1 -DEARLY
// check: assertion
// explore: bug assertion:@order
// case: bug-pso
// cflags: -DN=1 -DRELAXED
// memory: pso
// check: assertion
// explore: bug assertion:@order
// case: safe-tso
// cflags: -DN=1 -DRELAXED
// memory: tso
// check: assertion
// explore: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define SIZE 2
#ifdef RELAXED
#define PUBLISH memory_order_relaxed
#else
#define PUBLISH memory_order_release
#endif
int ring[SIZE];
atomic_int head, tail;

void *producer(void *arg) {
    for (int i = 1; i <= N; i++) {
        int at = atomic_load_explicit(&tail, memory_order_relaxed);
        while (at - atomic_load_explicit(&head, memory_order_acquire) == SIZE) {
        }
#ifdef EARLY
        atomic_store_explicit(&tail, at + 1, PUBLISH);
        ring[at % SIZE] = i;
#else
        ring[at % SIZE] = i;
        atomic_store_explicit(&tail, at + 1, PUBLISH);
#endif
    }
    return 0;
}

void *consumer(void *arg) {
    for (int i = 1; i <= N; i++) {
        int at = atomic_load_explicit(&head, memory_order_relaxed);
        while (atomic_load_explicit(&tail, memory_order_acquire) == at) {
        }
        assert(ring[at % SIZE] == i); // @order
        atomic_store_explicit(&head, at + 1, memory_order_release);
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, producer, 0);
    pthread_create(&b, 0, consumer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
