// A signal that comes before anybody waits is lost.
//
// The run: one thread (0.1) waits, the other (0.2) signals, the first goes on.
// - no-flag: the signal may come first.
// - flag-outside: the flag is set, and the signal sent, without the lock: both may come when the first has looked and not begun to wait.
// - flag-inside: the flag is set under the lock, so either the first sees it or it is waiting by then. In the run it has not seen it.
// - signal-outside: the same, with the signal sent after the lock was given back.
// only: deadlock,hang
// case: no-flag
// cflags: -DNO_FLAG
// predict: deadlock:@wait
// case: flag-outside
// cflags: -DUNLOCKED
// predict: deadlock:@wait
// case: flag-inside
// predict: none
// case: signal-outside
// cflags: -DLATE
// predict: none
#include <pthread.h>
#include <stdatomic.h>

pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
atomic_int ready;

void *waits(void *arg) {
    pthread_mutex_lock(&l);
#ifndef NO_FLAG
    while (!atomic_load(&ready))
#endif
        pthread_cond_wait(&changed, &l); // @wait
    pthread_mutex_unlock(&l);
    return arg;
}

void *signals(void *arg) {
#ifndef UNLOCKED
    pthread_mutex_lock(&l);
#endif
    atomic_store(&ready, 1);
#ifdef LATE
    pthread_mutex_unlock(&l);
#endif
    pthread_cond_signal(&changed);
#if !defined UNLOCKED && !defined LATE
    pthread_mutex_unlock(&l);
#endif
    return arg;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, waits, 0);
    pthread_create(&t2, 0, signals, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
