// One writer, N readers of the same variable: as many outcomes as sets of readers that come late, and no bug. In the faulty
// one a reader relies on the order in which the threads were created.
// check: assertion
// case: safe
// cflags: -DN=3
// explore: safe
// case: safe-8
// cflags: -DN=8
// explore: safe
// case: bug
// cflags: -DN=3 -DIN_ORDER
// explore: bug assertion:@order
#include <assert.h>
#include <pthread.h>

int x, seen[N];

void *writer(void *arg) {
    x = 1;
    return 0;
}

void *reader(void *arg) {
    long me = (long)arg;
    int value = x;
    assert(value == 0 || value == 1);
    if (value)
        seen[me] = 1;
    return 0;
}

int main(void) {
    pthread_t w, threads[N];
    pthread_create(&w, 0, writer, 0);
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, reader, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    pthread_join(w, 0);
#ifdef IN_ORDER
    assert(seen[0] <= seen[N - 1]); // @order
#endif
    return 0;
}
