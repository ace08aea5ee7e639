// Readers see both halves of what a writer writes, under a read-write lock. The faulty writer takes it as a reader.
// case: safe
// cflags: -DREADERS=2
// explore: safe
// case: bug
// cflags: -DREADERS=1 -DLOCK=pthread_rwlock_rdlock
// check: assertion
// explore: bug assertion:@halves
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

#ifndef LOCK
#define LOCK pthread_rwlock_wrlock
#endif

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int low, high;

void *reader(void *arg) {
    pthread_rwlock_rdlock(&lock);
    assert(low + high == 0); // @halves
    pthread_rwlock_unlock(&lock);
    return 0;
}

int main(void) {
    int by;
    ordain_input(&by, sizeof by, "by");
    ordain_assume(-1000 < by && by < 1000);
    pthread_t readers[READERS];
    for (int i = 0; i < READERS; i++)
        pthread_create(&readers[i], 0, reader, 0);
    LOCK(&lock);
    low += by;
    high -= by;
    pthread_rwlock_unlock(&lock);
    for (int i = 0; i < READERS; i++)
        pthread_join(readers[i], 0);
    return 0;
}
