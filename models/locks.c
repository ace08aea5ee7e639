// Spin locks and reader-writer locks: over one integer, for which zero is the initial state that static initialisers ask
// for.

#include "primitives.h"
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

// Waits until *cell is `from`, and makes it `to`.
static void change(atomic_int *cell, int from, int to) {
    for (;;) {
        int seen = atomic_load(cell);
        if (seen == from && atomic_compare_exchange_strong(cell, &seen, to))
            return;
    }
}

int pthread_spin_init(pthread_spinlock_t *lock, int shared) {
    (void)shared;
    atomic_store(AS(atomic_int, lock), 0);
    return 0;
}

int pthread_spin_destroy(pthread_spinlock_t *lock) {
    if (atomic_load(AS(atomic_int, lock)) != 0)
        ordain_misuse("a spin lock is destroyed while it is locked");
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
    if (atomic_exchange(AS(atomic_int, lock), 0) == 0)
        ordain_misuse("a spin lock is unlocked that nobody has locked");
    return 0;
}

// The number of readers, or -1 for a writer.
int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes) {
    (void)attributes;
    atomic_store(AS(atomic_int, lock), 0);
    return 0;
}

int pthread_rwlock_destroy(pthread_rwlock_t *lock) {
    if (atomic_load(AS(atomic_int, lock)) != 0)
        ordain_misuse("a reader-writer lock is destroyed while it is locked");
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

int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock) {
    atomic_int *holders = AS(atomic_int, lock);
    for (;;) {
        int seen = atomic_load(holders);
        if (seen < 0)
            return EBUSY;
        if (atomic_compare_exchange_strong(holders, &seen, seen + 1))
            return 0;
    }
}

int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *time) {
    atomic_int *holders = AS(atomic_int, lock);
    (void)clock;
    for (;;) {
        int seen = atomic_load(holders);
        if (seen >= 0 && atomic_compare_exchange_strong(holders, &seen, seen + 1))
            return 0;
        if (seen >= 0)
            continue;
        if (time->tv_nsec < 0 || time->tv_nsec >= 1000000000)
            return EINVAL;
        if (ordain_expired())
            return ETIMEDOUT;
    }
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *time) {
    return pthread_rwlock_clockrdlock(lock, CLOCK_REALTIME, time);
}

int pthread_rwlock_wrlock(pthread_rwlock_t *lock) {
    change(AS(atomic_int, lock), 0, -1);
    return 0;
}

int pthread_rwlock_trywrlock(pthread_rwlock_t *lock) {
    int free = 0;
    return atomic_compare_exchange_strong(AS(atomic_int, lock), &free, -1) ? 0 : EBUSY;
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *time) {
    atomic_int *holders = AS(atomic_int, lock);
    (void)clock;
    for (;;) {
        int free = 0;
        if (atomic_compare_exchange_strong(holders, &free, -1))
            return 0;
        if (time->tv_nsec < 0 || time->tv_nsec >= 1000000000)
            return EINVAL;
        if (ordain_expired())
            return ETIMEDOUT;
    }
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *time) {
    return pthread_rwlock_clockwrlock(lock, CLOCK_REALTIME, time);
}

int pthread_rwlock_unlock(pthread_rwlock_t *lock) {
    atomic_int *holders = AS(atomic_int, lock);
    int seen = atomic_load(holders);
    if (seen == 0)
        ordain_misuse("a reader-writer lock is unlocked that nobody has locked");
    if (seen < 0)
        atomic_store(holders, 0);
    else
        atomic_fetch_sub(holders, 1);
    return 0;
}
