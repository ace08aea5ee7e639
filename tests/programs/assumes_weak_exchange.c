// A weak exchange may fail although the values are equal, on processors other than x86: this assertion may fail there.
// explore: safe
// assumes: weak exchanges fail only where the values differ
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *worker(void *arg) {
    int expected = 0;
    assert(atomic_compare_exchange_weak(&x, &expected, 1));
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    assert(x == 1);
    return 0;
}
