// Waiting for the end of a thread can be cancelled: each of two threads waits for the other, until one gives up.
// explore: safe
// native: same
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

pthread_t first;

void *joiner(void *arg) {
    pthread_join(first, 0);
    return arg;
}

int main(void) {
    pthread_t second;
    void *result;
    first = pthread_self();
    pthread_create(&second, 0, joiner, 0);
    pthread_cancel(second);
    pthread_join(second, &result);
    assert(result == PTHREAD_CANCELED);
    puts("cancelled");
    return 0;
}
