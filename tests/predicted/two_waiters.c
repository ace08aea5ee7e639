// Two threads wait, and a signal wakes one of them, whichever.
//
// The run: both (0.1, 0.2) wait, the third (0.3) opens and signals, 0.1, who has waited longest, is woken and signals again.
// - two-signals, both-pass-on, broadcast: there is a wake-up for each.
// - one-passes-on: only 0.1 passes the signal on. If the signal wakes 0.2 instead, 0.1 waits for ever.
// only: deadlock,hang
// case: two-signals
// cflags: -DTWO_SIGNALS
// predict: none
// case: both-pass-on
// cflags: -DBOTH
// predict: none
// case: broadcast
// cflags: -DBROADCAST
// predict: none
// case: one-passes-on
// predict: deadlock:@wait
#include <pthread.h>

pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
int is_open;

void *waiter(void *passes_on) {
    pthread_mutex_lock(&l);
    while (!is_open)
        pthread_cond_wait(&opened, &l); // @wait
    if (passes_on)
        pthread_cond_signal(&opened);
    pthread_mutex_unlock(&l);
    return passes_on;
}

void *opener(void *arg) {
    pthread_mutex_lock(&l);
    is_open = 1;
#ifdef BROADCAST
    pthread_cond_broadcast(&opened);
#else
    pthread_cond_signal(&opened);
#ifdef TWO_SIGNALS
    pthread_cond_signal(&opened);
#endif
#endif
    pthread_mutex_unlock(&l);
    return arg;
}

int main(void) {
    pthread_t t1, t2, t3;
    pthread_create(&t1, 0, waiter, &is_open);
#ifdef BOTH
    pthread_create(&t2, 0, waiter, &is_open);
#else
    pthread_create(&t2, 0, waiter, 0);
#endif
    pthread_create(&t3, 0, opener, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    pthread_join(t3, 0);
    return 0;
}
