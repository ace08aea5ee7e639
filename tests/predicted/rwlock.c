// Reader-writer locks: whoever reads lets other readers in, also those who write.
//
// The run: one thread (0.1) adds, then the other (0.2).
// only: race
// case: readers-write
// cflags: -DLOCK=pthread_rwlock_rdlock
// predict: race:@add
// case: writers-write
// cflags: -DLOCK=pthread_rwlock_wrlock
// predict: none
#include <pthread.h>

pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int x;

void *add(void *arg) {
    LOCK(&l);
    x++; // @add
    pthread_rwlock_unlock(&l);
    return arg;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, add, 0);
    pthread_create(&t2, 0, add, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
