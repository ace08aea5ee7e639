// Each thread fills one element. Which one is read from a variable that main has already moved on.
// case: bug
// check: assertion
// cflags: -DN=3
// explore: bug assertion:@sum
// case: safe
// cflags: -DN=4 -DPASSED
// explore: safe
#include <assert.h>
#include <pthread.h>

int element[N];
int at = -1;

void *fill(void *arg) {
#ifdef PASSED
    element[(long)arg] = 1;
#else
    element[at] = 1;
#endif
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (long i = 0; i < N; i++) {
#ifndef PASSED
        at++;
#endif
        pthread_create(&threads[i], 0, fill, (void *)i);
    }
    int sum = 0;
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    for (int i = 0; i < N; i++)
        sum += element[i];
    assert(sum == N); // @sum
    return 0;
}
