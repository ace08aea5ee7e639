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
    // And flags.
    atomic_int kind;
    // How often the owner has locked it.
    unsigned count;
    // Zero if nobody has it.
    atomic_ulong owner;
    // The next one of those that are given back when their owner ends.
    struct mutex *next;
};

_Static_assert(sizeof(struct mutex) <= sizeof(pthread_mutex_t), "the machine's mutexes are no larger");

enum {
    KIND = 3,
    // It is given back when its owner ends.
    ROBUST = 16,
    // Its last owner has ended, and nobody has said that all is well again.
    ABANDONED = 32,
    // Nobody ever did.
    LOST = 64,
};

// Robust mutexes of the thread.
static _Thread_local struct mutex *held;

static int flags_of(struct mutex *mutex) {
    return atomic_load_explicit(&mutex->kind, memory_order_relaxed);
}

static void set_flags(struct mutex *mutex, int flags) {
    atomic_store_explicit(&mutex->kind, flags, memory_order_relaxed);
}

static _Bool has_owner(int flags) {
    return flags & ROBUST || (flags & KIND) == PTHREAD_MUTEX_RECURSIVE || (flags & KIND) == PTHREAD_MUTEX_ERRORCHECK;
}

static _Bool is_mine(struct mutex *mutex) {
    return atomic_load_explicit(&mutex->owner, memory_order_relaxed) == pthread_self();
}

int pthread_mutex_init(pthread_mutex_t *object, const pthread_mutexattr_t *attributes) {
    struct mutex *mutex = AS(struct mutex, object);
    int kind = PTHREAD_MUTEX_DEFAULT, robust = PTHREAD_MUTEX_STALLED;
    if (attributes) {
        pthread_mutexattr_gettype(attributes, &kind);
        pthread_mutexattr_getrobust(attributes, &robust);
    }
    ordain_mutex_init(object, 0);
    set_flags(mutex, kind | (robust == PTHREAD_MUTEX_ROBUST ? ROBUST : 0));
    atomic_store_explicit(&mutex->owner, 0, memory_order_relaxed);
    return 0;
}

int pthread_mutex_destroy(pthread_mutex_t *object) {
    return ordain_mutex_destroy(object);
}

// The caller has got the mutex.
static int become_owner(struct mutex *mutex, int flags) {
    if (flags & ROBUST) {
        // Perhaps from somebody who has changed it.
        flags = flags_of(mutex);
        if (flags & LOST) {
            ordain_mutex_unlock(mutex);
            return ENOTRECOVERABLE;
        }
        mutex->next = held;
        held = mutex;
    }
    atomic_store_explicit(&mutex->owner, pthread_self(), memory_order_relaxed);
    mutex->count = 1;
    return flags & ABANDONED ? EOWNERDEAD : 0;
}

static void give_back(struct mutex *mutex) {
    atomic_store_explicit(&mutex->owner, 0, memory_order_relaxed);
    ordain_mutex_unlock(mutex);
}

static void no_longer_held(struct mutex *mutex) {
    struct mutex **place = &held;
    while (*place && *place != mutex)
        place = &(*place)->next;
    if (*place)
        *place = mutex->next;
}

// The thread ends.
void ordain_leave_mutexes(void) {
    while (held) {
        struct mutex *mutex = held;
        held = mutex->next;
        set_flags(mutex, flags_of(mutex) | ABANDONED);
        give_back(mutex);
    }
}

int pthread_mutex_consistent(pthread_mutex_t *object) {
    struct mutex *mutex = AS(struct mutex, object);
    int flags = flags_of(mutex);
    if (!(flags & ROBUST) || !(flags & ABANDONED) || !is_mine(mutex))
        return EINVAL;
    set_flags(mutex, flags & ~ABANDONED);
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
    int flags = flags_of(mutex), kind = flags & KIND;
    if (!has_owner(flags))
        return ordain_mutex_lock(object);
    if (kind == PTHREAD_MUTEX_RECURSIVE && is_mine(mutex))
        return lock_again(mutex);
    if (kind == PTHREAD_MUTEX_ERRORCHECK && is_mine(mutex))
        return EDEADLK;
    ordain_mutex_lock(object);
    return become_owner(mutex, flags);
}

int pthread_mutex_trylock(pthread_mutex_t *object) {
    struct mutex *mutex = AS(struct mutex, object);
    int flags = flags_of(mutex);
    if (!has_owner(flags))
        return ordain_mutex_trylock(object);
    if (is_mine(mutex))
        return (flags & KIND) == PTHREAD_MUTEX_RECURSIVE ? lock_again(mutex) : EBUSY;
    int error = ordain_mutex_trylock(object);
    return error ? error : become_owner(mutex, flags);
}

int pthread_mutex_clocklock(pthread_mutex_t *object, clockid_t clock, const struct timespec *time) {
    struct mutex *mutex = AS(struct mutex, object);
    (void)clock;
    if ((flags_of(mutex) & KIND) == PTHREAD_MUTEX_ERRORCHECK && is_mine(mutex))
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
    int flags = flags_of(mutex);
    if (!has_owner(flags))
        return ordain_mutex_unlock(object);
    if (!is_mine(mutex))
        return EPERM;
    if ((flags & KIND) == PTHREAD_MUTEX_RECURSIVE && --mutex->count > 0)
        return 0;
    if (flags & ROBUST)
        no_longer_held(mutex);
    if (flags & ABANDONED)
        set_flags(mutex, flags | LOST);
    give_back(mutex);
    return 0;
}
