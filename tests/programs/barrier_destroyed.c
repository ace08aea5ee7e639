// A barrier must not be destroyed while somebody waits at it.
// explore: bug lock-misuse:18 deadlock:10
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_barrier_t all;

void *worker(void *arg) {
    pthread_barrier_wait(&all);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_barrier_init(&all, 0, 2);
    pthread_create(&t, 0, worker, 0);
    pthread_barrier_destroy(&all);
    pthread_join(t, 0);
    return 0;
}
