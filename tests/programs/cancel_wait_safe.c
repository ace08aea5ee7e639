// A thread that is cancelled while it waits for a condition unlocks the mutex in a handler. What a handler jumps to is
// unknown to `explore`; the machine and native runs agree.
// spurious: off
// explore: unknown
// native: same
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready;

void unlock(void *mutex) {
    pthread_mutex_unlock(mutex);
}

void *waiter(void *arg) {
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(unlock, &lock);
    while (!ready)
        pthread_cond_wait(&changed, &lock);
    pthread_cleanup_pop(1);
    return arg;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, 0, waiter, 0);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    printf("%d\n", result == PTHREAD_CANCELED);
    return 0;
}
