// Every round of T1 must be interrupted between its write and its test for the sum to come out.
// explore: bug assertion:38
// check: assertion
// case: n1
// cflags: -DN=1
// case: n2
// cflags: -DN=2
// case: n3
// cflags: -DN=3
#include <assert.h>
#include <pthread.h>

int x;

void *first(void *arg) {
    for (int i = 0; i < N; i++) {
        int tmp = x;
        tmp = tmp + 1;
        x = tmp;
        if (x == tmp)
            x = 0;
    }
    return 0;
}

void *second(void *arg) {
    for (int i = 0; i < N; i++)
        x++;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x != 2 * N);
    return 0;
}
