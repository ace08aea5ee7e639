// What is specific to a thread is destroyed at its end.
// explore: safe
// native: same
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

pthread_key_t key;
int destroyed;
pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;

void destroy(void *value) {
    pthread_mutex_lock(&l);
    destroyed += *(int *)value;
    pthread_mutex_unlock(&l);
    free(value);
}

void *worker(void *arg) {
    int *value = malloc(sizeof(int));
    *value = 1;
    pthread_setspecific(key, value);
    assert(pthread_getspecific(key) == value);
    
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_key_create(&key, destroy);
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(pthread_getspecific(key) == 0);
    assert(destroyed == 2);
    return 0;
}
