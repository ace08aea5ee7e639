// Two locks in opposite orders, which may go well; and what keeps it from going wrong.
//
// The run: one thread (0.1) takes and gives back both locks, then the other (0.2).
// - gate: both do so under a third lock.
// - joined: the second thread is created when the first has ended.
// - told: the second thread takes the locks only because the first has said that it is done with them.
// - told-early: the first has said so before it took them.
// only: deadlock,hang
// case: crossed
// predict: deadlock:@first-@second
// case: gate
// cflags: -DGATE
// predict: none
// case: one-order
// cflags: -DONE_ORDER
// predict: none
// case: joined
// cflags: -DJOINED
// predict: none
// case: told
// cflags: -DTOLD
// predict: none
// case: told-early
// cflags: -DTOLD -DEARLY
// predict: deadlock:@first-@second
#include <pthread.h>
#include <stdatomic.h>

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
#ifdef GATE
pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
#endif
#ifdef TOLD
atomic_int done;
#endif

void *first(void *arg) {
#ifdef EARLY
    atomic_store(&done, 1);
#endif
#ifdef GATE
    pthread_mutex_lock(&gate);
#endif
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); // @first
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
#ifdef GATE
    pthread_mutex_unlock(&gate);
#endif
#if defined TOLD && !defined EARLY
    atomic_store(&done, 1);
#endif
    return arg;
}

void *second(void *arg) {
#ifdef ONE_ORDER
    pthread_mutex_t *one = &a, *other = &b;
#else
    pthread_mutex_t *one = &b, *other = &a;
#endif
#ifdef TOLD
    if (!atomic_load(&done))
        return arg;
#endif
#ifdef GATE
    pthread_mutex_lock(&gate);
#endif
    pthread_mutex_lock(one);
    pthread_mutex_lock(other); // @second
    pthread_mutex_unlock(other);
    pthread_mutex_unlock(one);
#ifdef GATE
    pthread_mutex_unlock(&gate);
#endif
    return arg;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, first, 0);
#ifdef JOINED
    pthread_join(t1, 0);
#endif
    pthread_create(&t2, 0, second, 0);
#ifndef JOINED
    pthread_join(t1, 0);
#endif
    pthread_join(t2, 0);
    return 0;
}
