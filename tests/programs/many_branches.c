// Thirty branches in a row, each on a shared read of its own: 2^30 local paths, which meet again after each branch.
// case: safe
// cflags: -DWRONG=31
// explore: safe
// runs: <= 40
// case: bug
// cflags: -DWRONG=17
// explore: bug assertion:22
// runs: <= 40
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x;

#define STEP if (atomic_load(&x) == 1) n++;
#define TEN STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP

void *reader(void *arg) {
    int n = 0;
    TEN TEN TEN
    assert(n != WRONG);
    return 0;
}

void *writer(void *arg) {
    atomic_store(&x, 1);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, reader, 0);
    pthread_create(&b, 0, writer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
