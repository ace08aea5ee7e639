// Who waits for a condition gives back one mutex, not the others it holds.
//
// The run: the one who signals (0.1) takes the lock of both for a moment and then waits at a semaphore for the other to come. That one
// (0.2) takes the lock of both, posts, and waits for the condition; 0.1 signals; both end.
// - holds: the one who waits keeps the lock of both. If it comes first, the other never gets to the signal.
// - lets-go: it gives the lock back before it waits.
// only: deadlock,hang
// case: holds
// cflags: -DHOLDS
// predict: deadlock:@lock-@wait
// case: lets-go
// predict: none
#include <pthread.h>
#include <semaphore.h>

pthread_mutex_t both = PTHREAD_MUTEX_INITIALIZER, l = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
sem_t come;
int ready;

void *signals(void *arg) {
    pthread_mutex_lock(&both); // @lock
    pthread_mutex_unlock(&both);
    sem_wait(&come);
    pthread_mutex_lock(&l);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&l);
    return arg;
}

void *waits(void *arg) {
    pthread_mutex_lock(&both);
#ifndef HOLDS
    pthread_mutex_unlock(&both);
#endif
    pthread_mutex_lock(&l);
    sem_post(&come);
    while (!ready)
        pthread_cond_wait(&changed, &l); // @wait
    pthread_mutex_unlock(&l);
#ifdef HOLDS
    pthread_mutex_unlock(&both);
#endif
    return arg;
}

int main(void) {
    pthread_t t1, t2;
    sem_init(&come, 0, 0);
    pthread_create(&t1, 0, signals, 0);
    pthread_create(&t2, 0, waits, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
