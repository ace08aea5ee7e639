// The frame that holds the argument is gone when the thread gets to it.
// explore: bug use-after-free:8
// check: use-after-free
#include <pthread.h>

void *reader(void *arg) {
    int *p = arg;
    return (void *)(long)*p;
}

void start(pthread_t *t) {
    int local = 4;
    pthread_create(t, 0, reader, &local);
}

int main(void) {
    pthread_t t;
    start(&t);
    pthread_join(t, 0);
    return 0;
}
