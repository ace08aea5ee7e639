// A wait that ends when time is up is never stuck, whether there is a signal or not.
// explore: safe
// native: same
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready;

void *producer(void *arg) {
    pthread_mutex_lock(&l);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&l);
    return 0;
}

int main(void) {
    struct timespec when = {1, 0};
    pthread_t t;
    pthread_create(&t, 0, producer, 0);
    pthread_mutex_lock(&l);
    int error = 0;
    while (!ready && error == 0)
        error = pthread_cond_timedwait(&changed, &l, &when);
    assert(ready || error == ETIMEDOUT);
    pthread_mutex_unlock(&l);
    pthread_join(t, 0);
    return 0;
}
