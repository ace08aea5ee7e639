// A broadcast wakes everybody who waits, and what was written before it is ordered before what they do then.
//
// The run: two threads (0.1, 0.2) wait, the third (0.3) opens, both go on and read.
// - before: all is written when the gate opens. Both have seen it closed in the run, so both wait before it opens, and both are woken.
// - after: something is written when the gate is open already.
// case: before
// only: race,deadlock,hang
// predict: none
// case: after
// cflags: -DAFTER
// only: race,deadlock,hang
// predict: race:@write-@read
#include <pthread.h>

pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
int is_open, data;

void *waiter(void *arg) {
    pthread_mutex_lock(&l);
    while (!is_open)
        pthread_cond_wait(&opened, &l);
    pthread_mutex_unlock(&l);
    *(int *)arg = data; // @read
    return arg;
}

void *opener(void *arg) {
#ifndef AFTER
    data = 7;
#endif
    pthread_mutex_lock(&l);
    is_open = 1;
    pthread_cond_broadcast(&opened);
    pthread_mutex_unlock(&l);
#ifdef AFTER
    data = 7; // @write
#endif
    return arg;
}

int main(void) {
    pthread_t t1, t2, t3;
    int read[2];
    pthread_create(&t1, 0, waiter, &read[0]);
    pthread_create(&t2, 0, waiter, &read[1]);
    pthread_create(&t3, 0, opener, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    pthread_join(t3, 0);
    return 0;
}
