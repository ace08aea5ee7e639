// Lamport's fast mutual exclusion, one attempt per thread instead of starting over. The faulty one takes the fast path
// without looking whether another has come in between.
// case: safe
// cflags: -DN=2
// explore: safe
// case: safe-three
// cflags: -DN=3
// explore: safe
// case: bug
// check: assertion
// cflags: -DN=2 -DNO_SECOND_LOOK
// explore: bug assertion:@alone
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int wants[N + 1], x, y;
int inside;

void critical(void) {
    inside++;
    assert(inside == 1); // @alone
    inside--;
}

void *worker(void *arg) {
    int me = 1 + (int)(long)arg;
    wants[me] = 1;
    x = me;
    if (y != 0) {
        wants[me] = 0;
        return 0;
    }
    y = me;
#ifndef NO_SECOND_LOOK
    if (x != me) {
        wants[me] = 0;
        for (int k = 1; k <= N; k++)
            while (wants[k]) {
            }
        if (y != me)
            return 0;
    }
#endif
    critical();
    y = 0;
    wants[me] = 0;
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
