// Condition variables. Who waits for what is known to the machine, not kept in the object's memory.

#include "primitives.h"
#include <errno.h>
#include <pthread.h>
#include <time.h>

int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes) {
    (void)condition;
    (void)attributes;
    return 0;
}

int pthread_cond_destroy(pthread_cond_t *condition) {
    if (ordain_cond_waiters(condition))
        ordain_misuse("a condition variable is destroyed while a thread waits for it");
    return 0;
}

int pthread_cond_signal(pthread_cond_t *condition) {
    ordain_cond_signal(condition);
    return 0;
}

int pthread_cond_broadcast(pthread_cond_t *condition) {
    ordain_cond_broadcast(condition);
    return 0;
}

// Somebody who wakes without a signal could as well not have waited at all: only the mutex was free for a moment.
static int wake_without_signal(pthread_mutex_t *mutex) {
    int error = pthread_mutex_unlock(mutex);
    return error ? error : pthread_mutex_lock(mutex);
}

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    if (ordain_spurious())
        return wake_without_signal(mutex);
    ordain_cond_enqueue(condition);
    int error = pthread_mutex_unlock(mutex);
    if (error) {
        ordain_cond_leave();
        return error;
    }
    ordain_cond_sleep();
    return pthread_mutex_lock(mutex);
}

int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *time) {
    (void)clock;
    if (time->tv_nsec < 0 || time->tv_nsec >= 1000000000)
        return EINVAL;
    if (ordain_spurious())
        return wake_without_signal(mutex);
    ordain_cond_enqueue(condition);
    int error = pthread_mutex_unlock(mutex);
    if (error) {
        ordain_cond_leave();
        return error;
    }
    int late = 0;
    while (!ordain_cond_woken()) {
        if (ordain_expired()) {
            late = ordain_cond_leave() ? 0 : ETIMEDOUT;
            break;
        }
    }
    error = pthread_mutex_lock(mutex);
    return error ? error : late;
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *time) {
    return pthread_cond_clockwait(condition, mutex, CLOCK_REALTIME, time);
}
