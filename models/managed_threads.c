// Threads that do something when they end: destructors of thread-specific data, cleanup handlers. Also threads that are
// created detached. Linked only into programs that need one of these.

#include "primitives.h"
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <threads.h>

int ordain_thread_create(pthread_t *handle, const void *attributes, void *(*entry)(void *, void *), void *argument,
                         void *context);
_Noreturn void ordain_thread_exit(void *value);

// As many as programs use; POSIX asks for 128.
#define KEYS 32

static atomic_int taken[KEYS];
static void (*destructors[KEYS])(void *);
static _Thread_local void *values[KEYS];

// The innermost cleanup handler that is registered, and what the thread returns while they run.
static _Thread_local __pthread_unwind_buf_t *innermost;
static _Thread_local void *result;

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) {
    for (unsigned i = 0; i < KEYS; i++) {
        int free = 0;
        if (atomic_compare_exchange_strong(&taken[i], &free, 1)) {
            destructors[i] = destructor;
            *key = i;
            return 0;
        }
    }
    return EAGAIN;
}

int pthread_key_delete(pthread_key_t key) {
    if (key >= KEYS)
        return EINVAL;
    destructors[key] = 0;
    atomic_store(&taken[key], 0);
    return 0;
}

int pthread_setspecific(pthread_key_t key, const void *value) {
    if (key >= KEYS)
        return EINVAL;
    values[key] = (void *)value;
    return 0;
}

void *pthread_getspecific(pthread_key_t key) {
    return key < KEYS ? values[key] : 0;
}

// Destructors may set values again: then there is another round, up to a limit.
static void destroy_values(void) {
    for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS; round++) {
        int called = 0;
        for (unsigned i = 0; i < KEYS; i++) {
            void *value = values[i];
            if (value && destructors[i]) {
                values[i] = 0;
                called = 1;
                destructors[i](value);
            }
        }
        if (!called)
            return;
    }
}

// All that a thread does after its function.
static void finish(void) {
    destroy_values();
    ordain_leave_mutexes();
    ordain_thread_ends();
}

static void *begin(void *argument, void *entry) {
    void *value = ((void *(*)(void *))entry)(argument);
    finish();
    return value;
}

int ordain_managed_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*entry)(void *), void *argument) {
    int error = ordain_thread_create(handle, 0, begin, argument, (void *)entry);
    int state = PTHREAD_CREATE_JOINABLE;
    if (!error && attributes && pthread_attr_getdetachstate(attributes, &state) == 0 && state == PTHREAD_CREATE_DETACHED)
        pthread_detach(*handle);
    return error;
}

int pthread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*entry)(void *), void *argument) {
    return ordain_managed_create(handle, attributes, entry, argument);
}

static void *begin_c11(void *argument, void *entry) {
    int value = ((int (*)(void *))entry)(argument);
    finish();
    return (void *)(long)value;
}

int thrd_create(thrd_t *handle, int (*entry)(void *), void *argument) {
    return ordain_thread_create(handle, 0, begin_c11, argument, (void *)entry) ? thrd_error : thrd_success;
}

// Every handler leads to the next one, the last one to the end of the thread.
static _Noreturn void unwind(void) {
    __pthread_unwind_buf_t *handler = innermost;
    if (handler) {
        innermost = handler->__pad[0];
        longjmp(*AS(jmp_buf, handler), 1);
    }
    finish();
    ordain_thread_exit(result);
}

_Noreturn void ordain_managed_exit(void *value) {
    result = value;
    unwind();
}

void pthread_exit(void *value) {
    ordain_managed_exit(value);
}

void __pthread_register_cancel(__pthread_unwind_buf_t *handler) {
    handler->__pad[0] = innermost;
    innermost = handler;
}

void __pthread_unregister_cancel(__pthread_unwind_buf_t *handler) {
    innermost = handler->__pad[0];
}

void __pthread_unwind_next(__pthread_unwind_buf_t *handler) {
    (void)handler;
    unwind();
}
