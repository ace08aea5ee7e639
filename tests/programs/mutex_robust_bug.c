// Whoever unlocks a robust mutex of a dead owner without saying that all is well loses it for ever; the one who waits for
// it at that time is told so.
// explore: bug assertion:26
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_mutex_t lock;

void *owner(void *arg) {
    pthread_mutex_lock(&lock);
    return arg;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_t a, b;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&lock, &attributes);
    pthread_create(&a, 0, owner, 0);
    pthread_create(&b, 0, owner, 0);
    pthread_join(a, 0);
    if (pthread_mutex_lock(&lock) == EOWNERDEAD)
        pthread_mutex_unlock(&lock);
    assert(pthread_mutex_lock(&lock) != ENOTRECOVERABLE);
    pthread_join(b, 0);
    return 0;
}
