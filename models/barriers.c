// Barriers, and what is done once.

#include "primitives.h"
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

struct barrier {
    atomic_uint missing;
    atomic_uint round;
    unsigned threads;
};

int pthread_barrier_init(pthread_barrier_t *object, const pthread_barrierattr_t *attributes, unsigned threads) {
    struct barrier *barrier = AS(struct barrier, object);
    (void)attributes;
    barrier->threads = threads;
    atomic_store(&barrier->round, 0);
    atomic_store(&barrier->missing, threads);
    return threads == 0 ? EINVAL : 0;
}

int pthread_barrier_destroy(pthread_barrier_t *object) {
    struct barrier *barrier = AS(struct barrier, object);
    if (atomic_load(&barrier->missing) != barrier->threads)
        ordain_misuse("a barrier is destroyed while a thread waits at it");
    return 0;
}

int pthread_barrier_wait(pthread_barrier_t *object) {
    struct barrier *barrier = AS(struct barrier, object);
    unsigned round = atomic_load(&barrier->round);
    if (atomic_fetch_sub(&barrier->missing, 1) == 1) {
        atomic_store(&barrier->missing, barrier->threads);
        atomic_fetch_add(&barrier->round, 1);
        return PTHREAD_BARRIER_SERIAL_THREAD;
    }
    while (atomic_load(&barrier->round) == round)
        ;
    return 0;
}

int pthread_once(pthread_once_t *once, void (*routine)(void)) {
    atomic_int *state = AS(atomic_int, once);
    int fresh = 0;
    if (atomic_compare_exchange_strong(state, &fresh, 1)) {
        routine();
        atomic_store(state, 2);
    }
    while (atomic_load(state) != 2)
        ;
    return 0;
}
