// An error-checking mutex says what is wrong.
// explore: safe
// native: same
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_mutex_t l;
int count;

void *worker(void *arg) {
    assert(pthread_mutex_unlock(&l) == EPERM);
    assert(pthread_mutex_lock(&l) == 0);
    assert(pthread_mutex_lock(&l) == EDEADLK);
    count++;
    assert(pthread_mutex_unlock(&l) == 0);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&l, &kind);
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(count == 2);
    return 0;
}
