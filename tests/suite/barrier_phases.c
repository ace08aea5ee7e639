// Every thread writes its part, all meet, every thread reads its neighbour's part. Two phases need two meetings; the faulty one
// has only the first, and a fast thread overwrites what a slow one has not read.
// case: safe
// cflags: -DN=2
// explore: safe
// case: safe-three
// cflags: -DN=3
// explore: safe
// case: bug
// cflags: -DN=2 -DONE_MEETING
// check: assertion
// explore: bug assertion:@neighbour
#include <assert.h>
#include <pthread.h>

#define PHASES 2
pthread_barrier_t barrier;
int part[N];

void *worker(void *arg) {
    int me = (int)(long)arg;
    for (int phase = 1; phase <= PHASES; phase++) {
        part[me] = phase;
        pthread_barrier_wait(&barrier);
        assert(part[(me + 1) % N] == phase); // @neighbour
#ifndef ONE_MEETING
        pthread_barrier_wait(&barrier);
#endif
    }
    return 0;
}

int main(void) {
    pthread_t threads[N];
    pthread_barrier_init(&barrier, 0, N);
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    pthread_barrier_destroy(&barrier);
    return 0;
}
