// Mutexes of other kinds than the default one, over those that the machine has. Linked only into programs that ask for a
// kind: the others have their mutexes from the machine.

#include "primitives.h"
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

int ordain_mutex_init(void *mutex, const void *attributes);
int ordain_mutex_destroy(void *mutex);
int ordain_mutex_lock(void *mutex);
int ordain_mutex_trylock(void *mutex);
int ordain_mutex_unlock(void *mutex);

// Where static initialisers put the kind is glibc's choice, the rest is ours.
struct mutex {
    int unused[4];
    atomic_int kind;
    // How often the owner has locked it.
    unsigned count;
    // Zero if nobody has it.
    atomic_ulong owner;
};

static int kind_of(struct mutex *mutex) {
    return atomic_load_explicit(&mutex->kind, memory_order_relaxed);
}

static _Bool is_mine(struct mutex *mutex) {
    return atomic_load_explicit(&mutex->owner, memory_order_relaxed) == pthread_self();
}

int pthread_mutex_init(pthread_mutex_t *object, const pthread_mutexattr_t *attributes) {
    struct mutex *mutex = AS(struct mutex, object);
    int kind = PTHREAD_MUTEX_DEFAULT;
    if (attributes)
        pthread_mutexattr_gettype(attributes, &kind);
    ordain_mutex_init(object, 0);
    atomic_store_explicit(&mutex->kind, kind, memory_order_relaxed);
    atomic_store_explicit(&mutex->owner, 0, memory_order_relaxed);
    return 0;
}

int pthread_mutex_destroy(pthread_mutex_t *object) {
    return ordain_mutex_destroy(object);
}

// The caller has got the mutex.
static int become_owner(struct mutex *mutex) {
    atomic_store_explicit(&mutex->owner, pthread_self(), memory_order_relaxed);
    mutex->count = 1;
    return 0;
}

static int lock_again(struct mutex *mutex) {
    if (mutex->count == UINT_MAX)
        return EAGAIN;
    mutex->count++;
    return 0;
}

int pthread_mutex_lock(pthread_mutex_t *object) {
    struct mutex *mutex = AS(struct mutex, object);
    int kind = kind_of(mutex);
    if (kind != PTHREAD_MUTEX_RECURSIVE && kind != PTHREAD_MUTEX_ERRORCHECK)
        return ordain_mutex_lock(object);
    if (is_mine(mutex))
        return kind == PTHREAD_MUTEX_RECURSIVE ? lock_again(mutex) : EDEADLK;
    ordain_mutex_lock(object);
    return become_owner(mutex);
}

int pthread_mutex_trylock(pthread_mutex_t *object) {
    struct mutex *mutex = AS(struct mutex, object);
    int kind = kind_of(mutex);
    if (kind != PTHREAD_MUTEX_RECURSIVE && kind != PTHREAD_MUTEX_ERRORCHECK)
        return ordain_mutex_trylock(object);
    if (is_mine(mutex))
        return kind == PTHREAD_MUTEX_RECURSIVE ? lock_again(mutex) : EBUSY;
    int error = ordain_mutex_trylock(object);
    return error ? error : become_owner(mutex);
}

int pthread_mutex_clocklock(pthread_mutex_t *object, clockid_t clock, const struct timespec *time) {
    struct mutex *mutex = AS(struct mutex, object);
    int kind = kind_of(mutex);
    (void)clock;
    if (kind == PTHREAD_MUTEX_ERRORCHECK && is_mine(mutex))
        return EDEADLK;
    for (;;) {
        int error = pthread_mutex_trylock(object);
        if (error != EBUSY)
            return error;
        if (time->tv_nsec < 0 || time->tv_nsec >= 1000000000)
            return EINVAL;
        if (ordain_expired())
            return ETIMEDOUT;
    }
}

int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *time) {
    return pthread_mutex_clocklock(mutex, CLOCK_REALTIME, time);
}

int pthread_mutex_unlock(pthread_mutex_t *object) {
    struct mutex *mutex = AS(struct mutex, object);
    int kind = kind_of(mutex);
    if (kind != PTHREAD_MUTEX_RECURSIVE && kind != PTHREAD_MUTEX_ERRORCHECK)
        return ordain_mutex_unlock(object);
    if (!is_mine(mutex))
        return EPERM;
    if (kind == PTHREAD_MUTEX_RECURSIVE && --mutex->count > 0)
        return 0;
    atomic_store_explicit(&mutex->owner, 0, memory_order_relaxed);
    return ordain_mutex_unlock(object);
}
