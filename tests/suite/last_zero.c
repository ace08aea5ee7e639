// Threads count up along an array, one looks for the last zero from its end. It always finds one: the first element stays
// zero. That there is none behind what it found only holds when it looks.
// check: assertion,bounds
// case: safe
// cflags: -DN=3
// explore: safe
// case: safe-5
// cflags: -DN=5
// explore: safe
// case: bug
// cflags: -DN=3 -DCLAIM_REST
// explore: bug assertion:@rest
#include <assert.h>
#include <pthread.h>

int array[N + 1];

void *looker(void *arg) {
    int i = N;
    while (i > 0 && array[i] != 0)
        i--;
#ifdef CLAIM_REST
    assert(i == 0 || array[i] == 0); // @rest
#else
    assert(array[0] == 0);
#endif
    return 0;
}

void *counter(void *arg) {
    long j = (long)arg;
    array[j] = array[j - 1] + 1;
    return 0;
}

int main(void) {
    pthread_t threads[N + 1];
    pthread_create(&threads[0], 0, looker, 0);
    for (long j = 1; j <= N; j++)
        pthread_create(&threads[j], 0, counter, (void *)j);
    for (int j = 0; j <= N; j++)
        pthread_join(threads[j], 0);
    assert(array[0] == 0 && array[N] > 0);
    return 0;
}
