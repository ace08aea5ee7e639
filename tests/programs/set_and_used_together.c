// A variable that is set under a condition, and used under the same one only.
// explore: safe
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

int ready, data;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *arg) {
    pthread_mutex_lock(&m);
    data = 5;
    ready = 1;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t t;
    int value;
    pthread_create(&t, 0, worker, 0);
    pthread_mutex_lock(&m);
    int seen = ready;
    if (seen)
        value = data;
    pthread_mutex_unlock(&m);
    if (seen)
        assert(value == 5);
    pthread_join(t, 0);
    return 0;
}
