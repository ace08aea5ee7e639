// Wrong if a wait may end without a signal: the test is not repeated.
// case: spurious
// explore: bug assertion:29
// case: signals only
// spurious: off
// explore: safe
// assumes: never end without a signal
#include <assert.h>
#include <pthread.h>

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
    pthread_t t;
    pthread_create(&t, 0, producer, 0);
    pthread_mutex_lock(&l);
    if (!ready)
        pthread_cond_wait(&changed, &l);
    assert(ready);
    pthread_mutex_unlock(&l);
    pthread_join(t, 0);
    return 0;
}
