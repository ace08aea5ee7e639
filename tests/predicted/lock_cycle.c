// Three philosophers, each with the fork on the left first; and with the last of them the other way round.
//
// The run: they eat one after the other (0.1, 0.2, 0.3). Each is a function of its own, so that each waits on a line of its own.
// only: deadlock,hang
// case: cycle
// predict: deadlock:@one-@two-@three
// case: no-cycle
// cflags: -DLAST_TURNS
// predict: none
#include <pthread.h>

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, c = PTHREAD_MUTEX_INITIALIZER;

void *one(void *arg) {
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); // @one
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return arg;
}

void *two(void *arg) {
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&c); // @two
    pthread_mutex_unlock(&c);
    pthread_mutex_unlock(&b);
    return arg;
}

void *three(void *arg) {
#ifdef LAST_TURNS
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&c);
#else
    pthread_mutex_lock(&c);
    pthread_mutex_lock(&a); // @three
#endif
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&c);
    return arg;
}

int main(void) {
    pthread_t t1, t2, t3;
    pthread_create(&t1, 0, one, 0);
    pthread_create(&t2, 0, two, 0);
    pthread_create(&t3, 0, three, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    pthread_join(t3, 0);
    return 0;
}
