// Two reader-writer locks in opposite orders. Readers alone are never in each other's way.
//
// The run: one thread (0.1) takes and gives back both, then the other (0.2).
// only: deadlock,hang
// case: write-write
// cflags: -DFIRST=pthread_rwlock_wrlock -DSECOND=pthread_rwlock_wrlock
// predict: deadlock:@one-@other
// case: read-write
// cflags: -DFIRST=pthread_rwlock_rdlock -DSECOND=pthread_rwlock_wrlock
// predict: deadlock:@one-@other
// case: write-read
// cflags: -DFIRST=pthread_rwlock_wrlock -DSECOND=pthread_rwlock_rdlock
// predict: deadlock:@one-@other
// case: read-read
// cflags: -DFIRST=pthread_rwlock_rdlock -DSECOND=pthread_rwlock_rdlock
// predict: none
#include <pthread.h>

pthread_rwlock_t a = PTHREAD_RWLOCK_INITIALIZER, b = PTHREAD_RWLOCK_INITIALIZER;

void *one(void *arg) {
    FIRST(&a);
    SECOND(&b); // @one
    pthread_rwlock_unlock(&b);
    pthread_rwlock_unlock(&a);
    return arg;
}

void *other(void *arg) {
    FIRST(&b);
    SECOND(&a); // @other
    pthread_rwlock_unlock(&a);
    pthread_rwlock_unlock(&b);
    return arg;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, one, 0);
    pthread_create(&t2, 0, other, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
