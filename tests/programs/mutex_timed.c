// Time may be up before one gets a mutex.
// explore: safe
// native: same
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
int count;

void *worker(void *arg) {
    struct timespec when = {1, 0};
    int error = pthread_mutex_timedlock(&l, &when);
    if (error == 0) {
        count++;
        pthread_mutex_unlock(&l);
    }
    assert(error == 0 || error == ETIMEDOUT);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
