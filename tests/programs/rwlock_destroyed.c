// A reader-writer lock must not be destroyed while somebody has it.
// explore: bug lock-misuse:18
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

void *worker(void *arg) {
    if (pthread_rwlock_tryrdlock(&l) == 0)
        pthread_rwlock_unlock(&l);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_rwlock_destroy(&l);
    pthread_join(t, 0);
    return 0;
}
