// Locking a mutex until time is up.

#include "primitives.h"
#include <errno.h>
#include <pthread.h>
#include <time.h>

int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *time) {
    (void)clock;
    while (pthread_mutex_trylock(mutex) != 0) {
        if (time->tv_nsec < 0 || time->tv_nsec >= 1000000000)
            return EINVAL;
        if (ordain_expired())
            return ETIMEDOUT;
    }
    return 0;
}

int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *time) {
    return pthread_mutex_clocklock(mutex, CLOCK_REALTIME, time);
}
