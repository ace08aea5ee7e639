// A barrier for three waits for ever when two come.
// explore: bug deadlock:8
#include <pthread.h>

pthread_barrier_t all;

void *worker(void *arg) {
    pthread_barrier_wait(&all);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_barrier_init(&all, 0, 3);
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
