// Nobody waits for a detached thread.
// explore: bug race:10-22
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
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_create(&t, &attributes, worker, 0);
    pthread_attr_destroy(&attributes);
    ;
    return x;
}
