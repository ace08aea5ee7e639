// Threads, mutexes, condition variables and thread-specific storage of C11: those of POSIX under other names.

#include "primitives.h"
#include <errno.h>
#include <pthread.h>
#include <threads.h>
#include <time.h>

int ordain_thread_create(pthread_t *handle, const void *attributes, void *(*entry)(void *, void *), void *argument,
                         void *context);

static int from_error(int error) {
    switch (error) {
    case 0:
        return thrd_success;
    case EBUSY:
        return thrd_busy;
    case ETIMEDOUT:
        return thrd_timedout;
    default:
        return thrd_error;
    }
}

static void *begin(void *argument, void *entry) {
    return (void *)(long)((int (*)(void *))entry)(argument);
}

int thrd_create(thrd_t *handle, int (*entry)(void *), void *argument) {
    return from_error(ordain_thread_create(handle, 0, begin, argument, (void *)entry));
}

int thrd_join(thrd_t thread, int *result) {
    void *value = 0;
    int error = pthread_join(thread, &value);
    if (!error && result)
        *result = (int)(long)value;
    return from_error(error);
}

int thrd_detach(thrd_t thread) {
    return from_error(pthread_detach(thread));
}

void thrd_exit(int result) {
    pthread_exit((void *)(long)result);
}

thrd_t thrd_current(void) {
    return pthread_self();
}

int thrd_equal(thrd_t a, thrd_t b) {
    return pthread_equal(a, b);
}

int mtx_init(mtx_t *mutex, int type) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type & mtx_recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL);
    return from_error(pthread_mutex_init(AS(pthread_mutex_t, mutex), &attributes));
}

void mtx_destroy(mtx_t *mutex) {
    pthread_mutex_destroy(AS(pthread_mutex_t, mutex));
}

int mtx_lock(mtx_t *mutex) {
    return from_error(pthread_mutex_lock(AS(pthread_mutex_t, mutex)));
}

int mtx_trylock(mtx_t *mutex) {
    return from_error(pthread_mutex_trylock(AS(pthread_mutex_t, mutex)));
}

int mtx_timedlock(mtx_t *mutex, const struct timespec *time) {
    return from_error(pthread_mutex_timedlock(AS(pthread_mutex_t, mutex), time));
}

int mtx_unlock(mtx_t *mutex) {
    return from_error(pthread_mutex_unlock(AS(pthread_mutex_t, mutex)));
}

int cnd_init(cnd_t *condition) {
    return from_error(pthread_cond_init(AS(pthread_cond_t, condition), 0));
}

void cnd_destroy(cnd_t *condition) {
    pthread_cond_destroy(AS(pthread_cond_t, condition));
}

int cnd_signal(cnd_t *condition) {
    return from_error(pthread_cond_signal(AS(pthread_cond_t, condition)));
}

int cnd_broadcast(cnd_t *condition) {
    return from_error(pthread_cond_broadcast(AS(pthread_cond_t, condition)));
}

int cnd_wait(cnd_t *condition, mtx_t *mutex) {
    return from_error(pthread_cond_wait(AS(pthread_cond_t, condition), AS(pthread_mutex_t, mutex)));
}

int cnd_timedwait(cnd_t *condition, mtx_t *mutex, const struct timespec *time) {
    return from_error(pthread_cond_timedwait(AS(pthread_cond_t, condition), AS(pthread_mutex_t, mutex), time));
}

int tss_create(tss_t *key, tss_dtor_t destructor) {
    return from_error(pthread_key_create(key, destructor));
}

void tss_delete(tss_t key) {
    pthread_key_delete(key);
}

void *tss_get(tss_t key) {
    return pthread_getspecific(key);
}

int tss_set(tss_t key, void *value) {
    return from_error(pthread_setspecific(key, value));
}

void call_once(once_flag *flag, void (*routine)(void)) {
    pthread_once(AS(pthread_once_t, flag), routine);
}
