// Two threads add each other's number to their own, N times: at most the (2N + 2)nd Fibonacci number comes out, and only if
// they take turns.
// check: assertion
// case: bug-2
// cflags: -DN=2 -DLIMIT=8
// explore: bug assertion:@limit
// case: safe-2
// cflags: -DN=2 -DLIMIT=9
// explore: safe
// case: bug-3
// cflags: -DN=3 -DLIMIT=21
// explore: bug assertion:@limit
// case: safe-3
// cflags: -DN=3 -DLIMIT=22
// explore: safe
// case: bug-5
// cflags: -DN=5 -DLIMIT=144
// explore: bug assertion:@limit
// case: safe-5
// cflags: -DN=5 -DLIMIT=145
// explore: safe
#include <assert.h>
#include <pthread.h>

int i = 1, j = 1;

void *first(void *arg) {
    for (int k = 0; k < N; k++)
        i += j;
    return 0;
}

void *second(void *arg) {
    for (int k = 0; k < N; k++)
        j += i;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(i < LIMIT && j < LIMIT); // @limit
    return 0;
}
