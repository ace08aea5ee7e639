// A thread that does not want to be cancelled is not, until it wants to again.
// explore: safe
// native: same
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

int steps;

void *worker(void *arg) {
    int old;
    assert(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0 && old == PTHREAD_CANCEL_ENABLE);
    steps++;
    pthread_testcancel();
    steps++;
    assert(pthread_setcancelstate(old, &old) == 0 && old == PTHREAD_CANCEL_DISABLE);
    for (;;)
        pthread_testcancel();
    return arg;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, 0, worker, 0);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    assert(result == PTHREAD_CANCELED);
    assert(steps == 2);
    printf("%d\n", steps);
    return 0;
}
