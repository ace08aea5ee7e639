// The kind of a mutex may come from its initialiser.
// explore: safe
// native: same
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_mutex_t l = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
int count;

void *worker(void *arg) {
    pthread_mutex_lock(&l);
    assert(pthread_mutex_trylock(&l) == 0);
    count++;
    pthread_mutex_unlock(&l);
    count++;
    pthread_mutex_unlock(&l);
    assert(pthread_mutex_unlock(&l) == EPERM);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(count == 4);
    return 0;
}
