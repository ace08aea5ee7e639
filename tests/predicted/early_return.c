// A thread that finds nothing left to do returns at once, and keeps the lock.
//
// The run: one thread (0.1) finds the flag down, and gives the lock back; then another (0.2) raises the flag, and takes the lock.
// - kept: had the flag been up already, 0.1 would have ended with the lock.
// - given-back: there it gives the lock back first.
// - joined: nobody wants the lock but main, when it has joined both.
// - deeper: it is a function that returns early, and what its caller does then depends on what it returns.
// - many-ways: with which value it ends depends on more than the flag.
// only: deadlock,hang
// case: kept
// predict: deadlock:@other-@join
// case: given-back
// cflags: -DGIVEN_BACK
// predict: none
// case: joined
// cflags: -DJOINED
// predict: deadlock:@main
// case: deeper
// cflags: -DDEEPER
// predict: deadlock:@other-@join
// case: many-ways
// cflags: -DMANY_WAYS
// predict: deadlock:@other-@join
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int done, count;

int work(void) {
    pthread_mutex_lock(&lock);
    int is_done = done;
    if (is_done)
        return 0;
    count++;
    pthread_mutex_unlock(&lock);
    return 1;
}

#ifdef DEEPER
void *worker(void *arg) {
    return work() ? arg : 0;
}
#else
void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    int is_done = done;
    if (is_done) {
#ifdef GIVEN_BACK
        pthread_mutex_unlock(&lock);
#endif
#ifdef MANY_WAYS
        switch (is_done) {
        case 1:
            return 0;
        case 2:
            return &done;
        default:
            return is_done < 0 ? &count : arg;
        }
#endif
        return 0;
    }
    count++;
    pthread_mutex_unlock(&lock);
    return arg;
}
#endif

void *other(void *arg) {
    done = 1;
#ifndef JOINED
    pthread_mutex_lock(&lock); // @other
    count++;
    pthread_mutex_unlock(&lock);
#endif
    return arg;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, worker, 0);
    pthread_create(&t2, 0, other, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0); // @join
#ifdef JOINED
    pthread_mutex_lock(&lock); // @main
    pthread_mutex_unlock(&lock);
#endif
    return 0;
}
