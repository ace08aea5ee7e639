// A region that reads twice under one read lock. A writer stays out, unless it calls itself a reader.
//
// The run: the region (0.1), then the other thread (0.2).
// regions: marked
// only: atomicity
// case: writer
// cflags: -DLOCK=pthread_rwlock_wrlock
// predict: none
// violations: 0
// case: reader
// cflags: -DLOCK=pthread_rwlock_rdlock
// predict: atomicity:@first-@remote-@second
// violations: 1
#include <ordain.h>
#include <pthread.h>

pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int x;

void *region(void *arg) {
    ordain_atomic_begin();
    pthread_rwlock_rdlock(&l);
    int a = x; // @first
    int b = x; // @second
    pthread_rwlock_unlock(&l);
    ordain_atomic_end();
    *(int *)arg = a + b;
    return arg;
}

void *other(void *arg) {
    LOCK(&l);
    x = 5; // @remote
    pthread_rwlock_unlock(&l);
    return arg;
}

int main(void) {
    pthread_t t1, t2;
    int sum;
    pthread_create(&t1, 0, region, &sum);
    pthread_create(&t2, 0, other, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
