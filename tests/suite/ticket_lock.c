// A ticket lock. The faulty one draws tickets in two steps, so that two threads can have the same.
// case: safe
// cflags: -DN=2 -DROUNDS=2
// explore: safe
// case: safe-three
// cflags: -DN=3 -DROUNDS=1
// explore: safe
// case: bug
// check: assertion
// cflags: -DN=2 -DROUNDS=1 -DTWO_STEPS
// explore: bug assertion:@alone
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int next, serving;
int inside;

void *worker(void *arg) {
    for (int round = 0; round < ROUNDS; round++) {
#ifdef TWO_STEPS
        int mine = next;
        next = mine + 1;
#else
        int mine = atomic_fetch_add(&next, 1);
#endif
        while (serving != mine) {
        }
        inside++;
        assert(inside == 1); // @alone
        inside--;
        serving = mine + 1;
    }
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, worker, 0);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
