// Semaphores, condition variables, barriers, reader-writer locks, spin locks, once: over atomics, in the objects' own
// memory, for which zero is the initial state that POSIX's static initialisers ask for.
//
// Who has to wait does so in a loop that only reads, which the machine knows as an await. Condition variables wake in
// the order of arrival and never without a signal.

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#define AS(type, object) ((type *)(void *)(object))

// Waits until *cell was at least 1, and takes 1 from it.
static void take(atomic_int *cell) {
    for (;;) {
        int seen = atomic_load(cell);
        if (seen > 0 && atomic_compare_exchange_strong(cell, &seen, seen - 1))
            return;
    }
}

// Waits until *cell is `from`, and makes it `to`.
static void change(atomic_int *cell, int from, int to) {
    for (;;) {
        int seen = atomic_load(cell);
        if (seen == from && atomic_compare_exchange_strong(cell, &seen, to))
            return;
    }
}

int sem_init(sem_t *semaphore, int shared, unsigned value) {
    (void)shared;
    atomic_store(AS(atomic_int, semaphore), (int)value);
    return 0;
}

int sem_destroy(sem_t *semaphore) {
    (void)semaphore;
    return 0;
}

int sem_wait(sem_t *semaphore) {
    take(AS(atomic_int, semaphore));
    return 0;
}

int sem_post(sem_t *semaphore) {
    atomic_fetch_add(AS(atomic_int, semaphore), 1);
    return 0;
}

int sem_getvalue(sem_t *semaphore, int *value) {
    *value = atomic_load(AS(atomic_int, semaphore));
    return 0;
}

int pthread_spin_init(pthread_spinlock_t *lock, int shared) {
    (void)shared;
    atomic_store(AS(atomic_int, lock), 0);
    return 0;
}

int pthread_spin_destroy(pthread_spinlock_t *lock) {
    (void)lock;
    return 0;
}

int pthread_spin_lock(pthread_spinlock_t *lock) {
    change(AS(atomic_int, lock), 0, 1);
    return 0;
}

int pthread_spin_trylock(pthread_spinlock_t *lock) {
    int free = 0;
    return atomic_compare_exchange_strong(AS(atomic_int, lock), &free, 1) ? 0 : EBUSY;
}

int pthread_spin_unlock(pthread_spinlock_t *lock) {
    atomic_store(AS(atomic_int, lock), 0);
    return 0;
}

// The number of readers, or -1 for a writer.
int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes) {
    (void)attributes;
    atomic_store(AS(atomic_int, lock), 0);
    return 0;
}

int pthread_rwlock_destroy(pthread_rwlock_t *lock) {
    (void)lock;
    return 0;
}

int pthread_rwlock_rdlock(pthread_rwlock_t *lock) {
    atomic_int *holders = AS(atomic_int, lock);
    for (;;) {
        int seen = atomic_load(holders);
        if (seen >= 0 && atomic_compare_exchange_strong(holders, &seen, seen + 1))
            return 0;
    }
}

int pthread_rwlock_wrlock(pthread_rwlock_t *lock) {
    change(AS(atomic_int, lock), 0, -1);
    return 0;
}

int pthread_rwlock_unlock(pthread_rwlock_t *lock) {
    atomic_int *holders = AS(atomic_int, lock);
    if (atomic_load(holders) < 0)
        atomic_store(holders, 0);
    else
        atomic_fetch_sub(holders, 1);
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
    (void)object;
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

// Waiters draw numbers; a signal lets the next number go on, a broadcast all that were drawn. Relaxed, since a signal
// orders nothing by itself: the mutex does.
struct condition {
    atomic_uint drawn;
    atomic_uint woken;
};

int pthread_cond_init(pthread_cond_t *object, const pthread_condattr_t *attributes) {
    struct condition *condition = AS(struct condition, object);
    (void)attributes;
    atomic_store_explicit(&condition->drawn, 0, memory_order_relaxed);
    atomic_store_explicit(&condition->woken, 0, memory_order_relaxed);
    return 0;
}

int pthread_cond_destroy(pthread_cond_t *object) {
    (void)object;
    return 0;
}

int pthread_cond_wait(pthread_cond_t *object, pthread_mutex_t *mutex) {
    struct condition *condition = AS(struct condition, object);
    unsigned mine = atomic_fetch_add_explicit(&condition->drawn, 1, memory_order_relaxed);
    pthread_mutex_unlock(mutex);
    while ((int)(atomic_load_explicit(&condition->woken, memory_order_relaxed) - mine) <= 0)
        ;
    pthread_mutex_lock(mutex);
    return 0;
}

// Lets at most `most` more waiters go on.
static void wake(struct condition *condition, unsigned most) {
    for (;;) {
        unsigned woken = atomic_load_explicit(&condition->woken, memory_order_relaxed);
        unsigned waiting = atomic_load_explicit(&condition->drawn, memory_order_relaxed) - woken;
        if (waiting == 0)
            return;
        unsigned now = woken + (waiting < most ? waiting : most);
        if (atomic_compare_exchange_strong_explicit(&condition->woken, &woken, now, memory_order_relaxed, memory_order_relaxed))
            return;
    }
}

int pthread_cond_signal(pthread_cond_t *object) {
    wake(AS(struct condition, object), 1);
    return 0;
}

int pthread_cond_broadcast(pthread_cond_t *object) {
    wake(AS(struct condition, object), -1u);
    return 0;
}
