// A thread is joinable unless it is told otherwise.
// explore: safe
// native: same
#include <assert.h>
#include <errno.h>
#include <pthread.h>

int x;

void *worker(void *arg) {
    x = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_JOINABLE);
    pthread_create(&t, &attributes, worker, 0);
    pthread_attr_destroy(&attributes);
    pthread_join(t, 0);
    return x - 1;
}
