// N threads hand on a value, each to its neighbour, whenever they run. The checker can find two different ones only before
// it has gone round; the assertion is right after all have been joined in order.
// check: assertion
// case: bug
// cflags: -DN=3
// explore: bug assertion:@equal
// case: safe
// cflags: -DN=3 -DIN_TURN
// explore: safe
// case: safe-5
// cflags: -DN=5 -DIN_TURN
// explore: safe
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

int token[N + 1];

void *station(void *arg) {
    long me = (long)arg;
    token[me + 1] = (token[me] + 1) % 4;
    return 0;
}

int main(void) {
    pthread_t threads[N];
    int start;
    ordain_input(&start, sizeof start, "start");
    ordain_assume(0 <= start && start < 4);
    token[0] = start;
    for (long i = 0; i < N; i++) {
        pthread_create(&threads[i], 0, station, (void *)i);
#ifdef IN_TURN
        pthread_join(threads[i], 0);
#endif
    }
#ifndef IN_TURN
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
#endif
    assert(token[N] == (start + N) % 4); // @equal
    return 0;
}
