// The wait is under the lock and in a loop: no wake-up is lost.
// explore: safe
// native: same
#include <assert.h>
#include <pthread.h>

pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready, data;

void *producer(void *arg) {
    pthread_mutex_lock(&l);
    data = 7;
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&l);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, producer, 0);
    pthread_mutex_lock(&l);
    while (!ready)
        pthread_cond_wait(&changed, &l);
    assert(data == 7);
    pthread_mutex_unlock(&l);
    pthread_join(t, 0);
    return 0;
}
