// Unnamed semaphores: the value is the first integer of the object.

#include "primitives.h"
#include <errno.h>
#include <limits.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

static int fail(int error) {
    errno = error;
    return -1;
}

int sem_init(sem_t *semaphore, int shared, unsigned value) {
    (void)shared;
    if (value > INT_MAX)
        return fail(EINVAL);
    atomic_store(AS(atomic_int, semaphore), (int)value);
    return 0;
}

int sem_destroy(sem_t *semaphore) {
    (void)semaphore;
    return 0;
}

int sem_wait(sem_t *semaphore) {
    atomic_int *value = AS(atomic_int, semaphore);
    for (;;) {
        ordain_cancellation_point();
        int seen = atomic_load(value);
        if (seen > 0 && atomic_compare_exchange_strong(value, &seen, seen - 1))
            return 0;
    }
}

int sem_trywait(sem_t *semaphore) {
    atomic_int *value = AS(atomic_int, semaphore);
    for (;;) {
        int seen = atomic_load(value);
        if (seen == 0)
            return fail(EAGAIN);
        if (atomic_compare_exchange_strong(value, &seen, seen - 1))
            return 0;
    }
}

int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *time) {
    atomic_int *value = AS(atomic_int, semaphore);
    (void)clock;
    for (;;) {
        ordain_cancellation_point();
        int seen = atomic_load(value);
        if (seen > 0 && atomic_compare_exchange_strong(value, &seen, seen - 1))
            return 0;
        if (seen > 0)
            continue;
        if (time->tv_nsec < 0 || time->tv_nsec >= 1000000000)
            return fail(EINVAL);
        if (ordain_expired())
            return fail(ETIMEDOUT);
    }
}

int sem_timedwait(sem_t *semaphore, const struct timespec *time) {
    return sem_clockwait(semaphore, CLOCK_REALTIME, time);
}

int sem_post(sem_t *semaphore) {
    atomic_fetch_add(AS(atomic_int, semaphore), 1);
    return 0;
}

int sem_getvalue(sem_t *semaphore, int *value) {
    *value = atomic_load(AS(atomic_int, semaphore));
    return 0;
}
