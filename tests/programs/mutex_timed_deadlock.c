// Who waits for two mutexes with a time limit is not in a deadlock.
// explore: safe
// native: same
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER, m = PTHREAD_MUTEX_INITIALIZER;

void *other(void *arg) {
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&l);
    pthread_mutex_unlock(&l);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    struct timespec when = {1, 0};
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    pthread_mutex_lock(&l);
    if (pthread_mutex_timedlock(&m, &when) == 0)
        pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&l);
    pthread_join(t, 0);
    return 0;
}
