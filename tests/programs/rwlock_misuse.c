// A reader-writer lock that nobody has locked must not be unlocked.
// explore: bug lock-misuse:20
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

void *worker(void *arg) {
    if (pthread_rwlock_trywrlock(&l) == 0)
        pthread_rwlock_unlock(&l);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    int error = pthread_rwlock_tryrdlock(&l);
    pthread_join(t, 0);
    pthread_rwlock_unlock(&l);
    return error;
}
