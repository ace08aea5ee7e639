// A thread that only looks whether it is cancelled ends when it is, and its value says so.
// explore: safe
// native: same
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

void *forever(void *arg) {
    for (;;)
        pthread_testcancel();
    return arg;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, 0, forever, 0);
    assert(pthread_cancel(thread) == 0);
    pthread_join(thread, &result);
    assert(result == PTHREAD_CANCELED);
    puts("cancelled");
    return 0;
}
