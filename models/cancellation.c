// Cancelling threads. Linked only into programs that do. A request is a word of the thread's own that it looks at wherever
// POSIX says that it can be cancelled; those places that wait do so in loops that look at it too.

#include "primitives.h"
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <threads.h>
#include <time.h>

int ordain_managed_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*entry)(void *), void *argument);
_Noreturn void ordain_managed_exit(void *value);
int ordain_thread_join(pthread_t thread, void **result);
// Has no definition, so that whoever gets there is told its name.
_Noreturn void pthread_setcanceltype_to_asynchronous(void);

// So many at a time.
#define THREADS 128

struct thread {
    atomic_int used;
    void *(*entry)(void *);
    int (*entry_c11)(void *);
    void *argument;
    atomic_ulong handle;
    atomic_int cancelled;
    atomic_int ended;
};

// The first one is the main thread, which nobody creates.
static struct thread threads[THREADS];
// All that were ever used come before this one.
static atomic_int end_of_used = 1;

static _Thread_local struct thread *self;
static _Thread_local int state;

static struct thread *mine(void) {
    return self ? self : &threads[0];
}

static struct thread *find(pthread_t handle) {
    for (int i = 1; i < atomic_load(&end_of_used); i++)
        if (atomic_load(&threads[i].handle) == handle)
            return &threads[i];
    return &threads[0];
}

static struct thread *take(void) {
    for (int i = 1; i < THREADS; i++) {
        int unused = 0;
        if (!atomic_compare_exchange_strong(&threads[i].used, &unused, 1))
            continue;
        int end = atomic_load(&end_of_used);
        while (end <= i && !atomic_compare_exchange_strong(&end_of_used, &end, i + 1))
            ;
        return &threads[i];
    }
    return 0;
}

static void give_back(struct thread *thread) {
    if (thread == &threads[0])
        return;
    atomic_store(&thread->handle, 0);
    atomic_store(&thread->cancelled, 0);
    atomic_store(&thread->ended, 0);
    atomic_store(&thread->used, 0);
}

// The one who creates it and the thread itself both enter the handle: either may be the first to use it.
static void *begin(void *thread) {
    self = thread;
    atomic_store(&self->handle, pthread_self());
    return self->entry_c11 ? (void *)(long)self->entry_c11(self->argument) : self->entry(self->argument);
}

static int create(pthread_t *handle, const pthread_attr_t *attributes, struct thread *thread) {
    int error = ordain_managed_create(handle, attributes, begin, thread);
    if (error)
        give_back(thread);
    else
        atomic_store(&thread->handle, *handle);
    return error;
}

int pthread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*entry)(void *), void *argument) {
    struct thread *thread = take();
    if (!thread)
        return EAGAIN;
    thread->entry = entry;
    thread->entry_c11 = 0;
    thread->argument = argument;
    return create(handle, attributes, thread);
}

int thrd_create(thrd_t *handle, int (*entry)(void *), void *argument) {
    struct thread *thread = take();
    if (!thread)
        return thrd_nomem;
    thread->entry_c11 = entry;
    thread->argument = argument;
    return create(handle, 0, thread) ? thrd_error : thrd_success;
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

// Handlers and destructors are not cancelled any more.
void pthread_exit(void *value) {
    state = PTHREAD_CANCEL_DISABLE;
    ordain_managed_exit(value);
}

static _Noreturn void end(void) {
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
    int error = ordain_thread_join(handle, result);
    if (!error)
        give_back(thread);
    return error;
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
