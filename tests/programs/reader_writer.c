// Reading under a read lock is fine; writing under one is not.
// check: assertion
// case: write-lock
// cflags: -DENTER=pthread_rwlock_wrlock
// explore: safe
// case: read-lock
// cflags: -DENTER=pthread_rwlock_rdlock
// explore: bug assertion:29
#include <assert.h>
#include <pthread.h>

pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int counter;

void *worker(void *arg) {
    ENTER(&l);
    counter++;
    pthread_rwlock_unlock(&l);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_rwlock_rdlock(&l);
    assert(counter == 2);
    pthread_rwlock_unlock(&l);
    return 0;
}
