// A barrier can be used again, and tells one thread of each round apart.
// explore: safe
// native: same
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_barrier_t all;
int serial[2], x[2];

void *worker(void *arg) {
    int me = arg != 0;
    for (int round = 0; round < 2; round++) {
        x[me] = round + 1;
        if (pthread_barrier_wait(&all) == PTHREAD_BARRIER_SERIAL_THREAD)
            serial[round]++;
        assert(x[!me] == round + 1);
        pthread_barrier_wait(&all);
    }
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_barrier_init(&all, 0, 2);
    pthread_create(&t, 0, worker, &t);
    worker(0);
    pthread_join(t, 0);
    assert(serial[0] == 1 && serial[1] == 1);
    pthread_barrier_destroy(&all);
    return 0;
}
