// A thread cancels itself, perhaps before the one who created it has gone on: nobody else is meant.
// explore: safe
// native: same
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

void *worker(void *arg) {
    pthread_cancel(pthread_self());
    pthread_testcancel();
    assert(0);
    return arg;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, 0, worker, 0);
    pthread_testcancel();
    pthread_join(thread, &result);
    assert(result == PTHREAD_CANCELED);
    puts("cancelled");
    return 0;
}
