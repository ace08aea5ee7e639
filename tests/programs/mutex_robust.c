// A robust mutex whose owner has ended: the next one is told, and can go on.
// explore: safe
// native: same
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

pthread_mutex_t lock;

void *owner(void *arg) {
    assert(pthread_mutex_lock(&lock) == 0);
    return arg;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_t thread;
    int robust;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutexattr_getrobust(&attributes, &robust);
    assert(robust == PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&lock, &attributes);
    pthread_create(&thread, 0, owner, 0);
    pthread_join(thread, 0);
    int told = pthread_mutex_lock(&lock);
    assert(told == EOWNERDEAD);
    assert(pthread_mutex_consistent(&lock) == 0);
    assert(pthread_mutex_consistent(&lock) == EINVAL);
    assert(pthread_mutex_unlock(&lock) == 0);
    assert(pthread_mutex_unlock(&lock) == EPERM);
    assert(pthread_mutex_trylock(&lock) == 0);
    assert(pthread_mutex_unlock(&lock) == 0);
    puts("consistent");
    return 0;
}
