// Each of two threads makes its number one more than the other's, N times.
// check: assertion
// case: bug
// cflags: -DN=3 -DLIMIT=8
// explore: bug assertion:@limit
// case: safe
// cflags: -DN=3 -DLIMIT=9
// explore: safe
// case: bug-5
// cflags: -DN=5 -DLIMIT=12
// explore: bug assertion:@limit
// case: safe-5
// cflags: -DN=5 -DLIMIT=13
// explore: safe
#include <assert.h>
#include <pthread.h>

// The larger grows by one per step at most: 2 + 2N is the end of it.
int i = 0, j = 2;

void *first(void *arg) {
    for (int k = 0; k < N; k++)
        i = j + 1;
    return 0;
}

void *second(void *arg) {
    for (int k = 0; k < N; k++)
        j = i + 1;
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
