// Time may be up before one gets a reader-writer lock.
// explore: safe
// native: same
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int x;

void *writer(void *arg) {
    struct timespec when = {1, 0};
    if (pthread_rwlock_timedwrlock(&l, &when) == 0) {
        x++;
        pthread_rwlock_unlock(&l);
    }
    return 0;
}

int main(void) {
    struct timespec when = {1, 0};
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    int error = pthread_rwlock_timedrdlock(&l, &when);
    assert(error == 0 || error == ETIMEDOUT);
    if (error == 0) {
        assert(x == 0 || x == 1);
        pthread_rwlock_unlock(&l);
    }
    pthread_join(t, 0);
    return 0;
}
