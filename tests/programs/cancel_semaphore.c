// Waiting for a semaphore can be cancelled, and takes nothing from it then.
// explore: safe
// native: same
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

sem_t semaphore;

void *waiter(void *arg) {
    sem_wait(&semaphore);
    return arg;
}

int main(void) {
    pthread_t thread;
    void *result;
    int value;
    sem_init(&semaphore, 0, 0);
    pthread_create(&thread, 0, waiter, 0);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    assert(result == PTHREAD_CANCELED);
    sem_post(&semaphore);
    sem_getvalue(&semaphore, &value);
    assert(value == 1);
    puts("cancelled");
    return 0;
}
