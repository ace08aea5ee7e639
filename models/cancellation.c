// Cancelling threads. Linked only into programs that do. A request is a word of the thread's own that it looks at wherever
// POSIX says that it can be cancelled; those places that wait do so in loops that look at it too.

#include "primitives.h"
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

int ordain_managed_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*entry)(void *), void *argument);
int ordain_thread_join(pthread_t thread, void **result);
// Has no definition, so that whoever gets there is told its name.
_Noreturn void pthread_setcanceltype_to_asynchronous(void);

#define THREADS 128

struct thread {
    void *(*entry)(void *);
    void *argument;
    atomic_ulong handle;
    atomic_int cancelled;
    atomic_int ended;
};

// The first one is the main thread, which nobody creates.
static struct thread threads[THREADS];
static atomic_int created = 1;

static _Thread_local struct thread *self;
static _Thread_local int state;

static struct thread *mine(void) {
    return self ? self : &threads[0];
}

static struct thread *find(pthread_t handle) {
    for (int i = 1; i < THREADS && i < atomic_load(&created); i++)
        if (atomic_load(&threads[i].handle) == handle)
            return &threads[i];
    return &threads[0];
}

static void *begin(void *thread) {
    self = thread;
    return self->entry(self->argument);
}

int pthread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*entry)(void *), void *argument) {
    int slot = atomic_fetch_add(&created, 1);
    if (slot >= THREADS)
        return EAGAIN;
    struct thread *thread = &threads[slot];
    thread->entry = entry;
    thread->argument = argument;
    int error = ordain_managed_create(handle, attributes, begin, thread);
    if (!error)
        atomic_store(&thread->handle, *handle);
    return error;
}

void ordain_thread_ends(void) {
    atomic_store(&mine()->ended, 1);
}

int pthread_cancel(pthread_t thread) {
    atomic_store(&find(thread)->cancelled, 1);
    return 0;
}

int pthread_setcancelstate(int new, int *old) {
    if (new != PTHREAD_CANCEL_ENABLE && new != PTHREAD_CANCEL_DISABLE)
        return EINVAL;
    if (old)
        *old = state;
    state = new;
    return 0;
}

int pthread_setcanceltype(int new, int *old) {
    if (new != PTHREAD_CANCEL_DEFERRED && new != PTHREAD_CANCEL_ASYNCHRONOUS)
        return EINVAL;
    if (new == PTHREAD_CANCEL_ASYNCHRONOUS)
        pthread_setcanceltype_to_asynchronous();
    if (old)
        *old = PTHREAD_CANCEL_DEFERRED;
    return 0;
}

static _Bool is_cancelled(void) {
    return state == PTHREAD_CANCEL_ENABLE && atomic_load(&mine()->cancelled);
}

// Handlers and destructors are not cancelled again.
static _Noreturn void end(void) {
    state = PTHREAD_CANCEL_DISABLE;
    pthread_exit(PTHREAD_CANCELED);
}

void ordain_cancellation_point(void) {
    if (is_cancelled())
        end();
}

void pthread_testcancel(void) {
    ordain_cancellation_point();
}

int pthread_join(pthread_t handle, void **result) {
    struct thread *thread = find(handle);
    while (!atomic_load(&thread->ended))
        ordain_cancellation_point();
    return ordain_thread_join(handle, result);
}

// Whoever has been woken takes the signal along, and is cancelled at the next occasion.
static int give_up_waiting(pthread_mutex_t *mutex) {
    _Bool woken = ordain_cond_leave();
    int error = pthread_mutex_lock(mutex);
    if (!woken)
        end();
    return error;
}

static int start_waiting(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    ordain_cond_enqueue(condition);
    int error = pthread_mutex_unlock(mutex);
    if (error)
        ordain_cond_leave();
    return error;
}

static int wake_without_signal(pthread_mutex_t *mutex) {
    int error = pthread_mutex_unlock(mutex);
    return error ? error : pthread_mutex_lock(mutex);
}

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    ordain_cancellation_point();
    if (ordain_spurious())
        return wake_without_signal(mutex);
    int error = start_waiting(condition, mutex);
    if (error)
        return error;
    while (!ordain_cond_woken())
        if (is_cancelled())
            return give_up_waiting(mutex);
    return pthread_mutex_lock(mutex);
}

int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *time) {
    (void)clock;
    ordain_cancellation_point();
    if (time->tv_nsec < 0 || time->tv_nsec >= 1000000000)
        return EINVAL;
    if (ordain_spurious())
        return wake_without_signal(mutex);
    int error = start_waiting(condition, mutex), late = 0;
    if (error)
        return error;
    while (!ordain_cond_woken()) {
        if (is_cancelled())
            return give_up_waiting(mutex);
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

int sem_wait(sem_t *semaphore) {
    atomic_int *value = AS(atomic_int, semaphore);
    for (;;) {
        ordain_cancellation_point();
        int seen = atomic_load(value);
        if (seen > 0 && atomic_compare_exchange_strong(value, &seen, seen - 1))
            return 0;
    }
}
