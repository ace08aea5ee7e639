// Attributes of threads, mutexes, condition variables, reader-writer locks and barriers, and what else a thread can be told
// about itself. All that has a meaning here is whether a thread is detached, and the kind of a mutex; the rest is kept to
// be read back.

#include "primitives.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

struct thread {
    int detached;
    int scope;
    int inherits;
    int policy;
    int priority;
    size_t guard_bytes;
    size_t stack_bytes;
    void *stack;
};

#define STACK_BYTES (8u << 20)
#define GUARD_BYTES 4096
#define LEAST_STACK_BYTES 16384

int pthread_attr_init(pthread_attr_t *attributes) {
    struct thread *thread = AS(struct thread, attributes);
    thread->detached = PTHREAD_CREATE_JOINABLE;
    thread->scope = PTHREAD_SCOPE_SYSTEM;
    thread->inherits = PTHREAD_INHERIT_SCHED;
    thread->policy = SCHED_OTHER;
    thread->priority = 0;
    thread->guard_bytes = GUARD_BYTES;
    thread->stack_bytes = STACK_BYTES;
    thread->stack = 0;
    return 0;
}

int pthread_attr_destroy(pthread_attr_t *attributes) {
    (void)attributes;
    return 0;
}

int pthread_attr_setdetachstate(pthread_attr_t *attributes, int state) {
    if (state != PTHREAD_CREATE_JOINABLE && state != PTHREAD_CREATE_DETACHED)
        return EINVAL;
    AS(struct thread, attributes)->detached = state;
    return 0;
}

int pthread_attr_getdetachstate(const pthread_attr_t *attributes, int *state) {
    *state = AS(const struct thread, attributes)->detached;
    return 0;
}

int pthread_attr_setstacksize(pthread_attr_t *attributes, size_t bytes) {
    if (bytes < LEAST_STACK_BYTES)
        return EINVAL;
    AS(struct thread, attributes)->stack_bytes = bytes;
    return 0;
}

int pthread_attr_getstacksize(const pthread_attr_t *attributes, size_t *bytes) {
    *bytes = AS(const struct thread, attributes)->stack_bytes;
    return 0;
}

int pthread_attr_setstack(pthread_attr_t *attributes, void *stack, size_t bytes) {
    AS(struct thread, attributes)->stack = stack;
    return pthread_attr_setstacksize(attributes, bytes);
}

int pthread_attr_setguardsize(pthread_attr_t *attributes, size_t bytes) {
    AS(struct thread, attributes)->guard_bytes = bytes;
    return 0;
}

int pthread_attr_getguardsize(const pthread_attr_t *attributes, size_t *bytes) {
    *bytes = AS(const struct thread, attributes)->guard_bytes;
    return 0;
}

int pthread_attr_setscope(pthread_attr_t *attributes, int scope) {
    AS(struct thread, attributes)->scope = scope;
    return scope == PTHREAD_SCOPE_SYSTEM ? 0 : scope == PTHREAD_SCOPE_PROCESS ? ENOTSUP : EINVAL;
}

int pthread_attr_getscope(const pthread_attr_t *attributes, int *scope) {
    *scope = AS(const struct thread, attributes)->scope;
    return 0;
}

int pthread_attr_setinheritsched(pthread_attr_t *attributes, int inherits) {
    AS(struct thread, attributes)->inherits = inherits;
    return 0;
}

int pthread_attr_getinheritsched(const pthread_attr_t *attributes, int *inherits) {
    *inherits = AS(const struct thread, attributes)->inherits;
    return 0;
}

int pthread_attr_setschedpolicy(pthread_attr_t *attributes, int policy) {
    AS(struct thread, attributes)->policy = policy;
    return 0;
}

int pthread_attr_getschedpolicy(const pthread_attr_t *attributes, int *policy) {
    *policy = AS(const struct thread, attributes)->policy;
    return 0;
}

int pthread_attr_setschedparam(pthread_attr_t *attributes, const struct sched_param *parameters) {
    AS(struct thread, attributes)->priority = parameters->sched_priority;
    return 0;
}

int pthread_attr_getschedparam(const pthread_attr_t *attributes, struct sched_param *parameters) {
    parameters->sched_priority = AS(const struct thread, attributes)->priority;
    return 0;
}

// Of one integer: the kind or the clock in the low byte, then whether processes share it, whether a mutex outlives its
// owner, and its protocol.
#define LOW 0xff
#define SHARED 0x100
#define ROBUST 0x200
#define PROTOCOL_SHIFT 16

static int set_low(void *attributes, int value) {
    int *all = AS(int, attributes);
    *all = (*all & ~LOW) | value;
    return 0;
}

static int set_shared(void *attributes, int shared) {
    int *all = AS(int, attributes);
    if (shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED)
        return EINVAL;
    *all = (*all & ~SHARED) | (shared == PTHREAD_PROCESS_SHARED ? SHARED : 0);
    return 0;
}

static int get_shared(const void *attributes, int *shared) {
    *shared = *AS(const int, attributes) & SHARED ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE;
    return 0;
}

int pthread_mutexattr_init(pthread_mutexattr_t *attributes) {
    *AS(int, attributes) = PTHREAD_MUTEX_DEFAULT;
    return 0;
}

int pthread_mutexattr_destroy(pthread_mutexattr_t *attributes) {
    (void)attributes;
    return 0;
}

int pthread_mutexattr_settype(pthread_mutexattr_t *attributes, int kind) {
    if (kind < PTHREAD_MUTEX_NORMAL || kind > PTHREAD_MUTEX_ADAPTIVE_NP)
        return EINVAL;
    return set_low(attributes, kind);
}

int pthread_mutexattr_setkind_np(pthread_mutexattr_t *attributes, int kind) {
    return pthread_mutexattr_settype(attributes, kind);
}

int pthread_mutexattr_gettype(const pthread_mutexattr_t *attributes, int *kind) {
    *kind = *AS(const int, attributes) & LOW;
    return 0;
}

int pthread_mutexattr_setpshared(pthread_mutexattr_t *attributes, int shared) {
    return set_shared(attributes, shared);
}

int pthread_mutexattr_getpshared(const pthread_mutexattr_t *attributes, int *shared) {
    return get_shared(attributes, shared);
}

int pthread_mutexattr_setrobust(pthread_mutexattr_t *attributes, int robust) {
    int *all = AS(int, attributes);
    if (robust != PTHREAD_MUTEX_STALLED && robust != PTHREAD_MUTEX_ROBUST)
        return EINVAL;
    *all = (*all & ~ROBUST) | (robust == PTHREAD_MUTEX_ROBUST ? ROBUST : 0);
    return 0;
}

int pthread_mutexattr_getrobust(const pthread_mutexattr_t *attributes, int *robust) {
    *robust = *AS(const int, attributes) & ROBUST ? PTHREAD_MUTEX_ROBUST : PTHREAD_MUTEX_STALLED;
    return 0;
}

int pthread_mutexattr_setprotocol(pthread_mutexattr_t *attributes, int protocol) {
    int *all = AS(int, attributes);
    *all = (*all & ((1 << PROTOCOL_SHIFT) - 1)) | protocol << PROTOCOL_SHIFT;
    return 0;
}

int pthread_mutexattr_getprotocol(const pthread_mutexattr_t *attributes, int *protocol) {
    *protocol = *AS(const int, attributes) >> PROTOCOL_SHIFT;
    return 0;
}

int pthread_condattr_init(pthread_condattr_t *attributes) {
    *AS(int, attributes) = CLOCK_REALTIME;
    return 0;
}

int pthread_condattr_destroy(pthread_condattr_t *attributes) {
    (void)attributes;
    return 0;
}

int pthread_condattr_setclock(pthread_condattr_t *attributes, clockid_t clock) {
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
        return EINVAL;
    return set_low(attributes, clock);
}

int pthread_condattr_getclock(const pthread_condattr_t *attributes, clockid_t *clock) {
    *clock = *AS(const int, attributes) & LOW;
    return 0;
}

int pthread_condattr_setpshared(pthread_condattr_t *attributes, int shared) {
    return set_shared(attributes, shared);
}

int pthread_condattr_getpshared(const pthread_condattr_t *attributes, int *shared) {
    return get_shared(attributes, shared);
}

int pthread_rwlockattr_init(pthread_rwlockattr_t *attributes) {
    *AS(int, attributes) = 0;
    return 0;
}

int pthread_rwlockattr_destroy(pthread_rwlockattr_t *attributes) {
    (void)attributes;
    return 0;
}

int pthread_rwlockattr_setpshared(pthread_rwlockattr_t *attributes, int shared) {
    return set_shared(attributes, shared);
}

int pthread_rwlockattr_getpshared(const pthread_rwlockattr_t *attributes, int *shared) {
    return get_shared(attributes, shared);
}

int pthread_rwlockattr_setkind_np(pthread_rwlockattr_t *attributes, int kind) {
    return set_low(attributes, kind);
}

int pthread_rwlockattr_getkind_np(const pthread_rwlockattr_t *attributes, int *kind) {
    *kind = *AS(const int, attributes) & LOW;
    return 0;
}

int pthread_barrierattr_init(pthread_barrierattr_t *attributes) {
    *AS(int, attributes) = 0;
    return 0;
}

int pthread_barrierattr_destroy(pthread_barrierattr_t *attributes) {
    (void)attributes;
    return 0;
}

int pthread_barrierattr_setpshared(pthread_barrierattr_t *attributes, int shared) {
    return set_shared(attributes, shared);
}

int pthread_barrierattr_getpshared(const pthread_barrierattr_t *attributes, int *shared) {
    return get_shared(attributes, shared);
}

// Schedules are not a matter of priorities here.
int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *parameters) {
    (void)thread;
    (void)policy;
    (void)parameters;
    return 0;
}

int pthread_setconcurrency(int level) {
    (void)level;
    return 0;
}

int pthread_setname_np(pthread_t thread, const char *name) {
    (void)thread;
    return strlen(name) < 16 ? 0 : ERANGE;
}

// There are no other processes, and nobody is cancelled (`cancellation.c` is for programs that do).
int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void)) {
    (void)prepare;
    (void)parent;
    (void)child;
    return 0;
}

static _Thread_local int cancel_state = PTHREAD_CANCEL_ENABLE;
static _Thread_local int cancel_type = PTHREAD_CANCEL_DEFERRED;

int pthread_setcancelstate(int state, int *old) {
    if (old)
        *old = cancel_state;
    cancel_state = state;
    return 0;
}

int pthread_setcanceltype(int type, int *old) {
    if (old)
        *old = cancel_type;
    cancel_type = type;
    return 0;
}

void pthread_testcancel(void) {
}
