// Both functions keep the promise.
// explore: safe
// native: same
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int one(int n) {
    return n + 1;
}

int two(int n) {
    return n + 2;
}

int (*_Atomic step)(int) = one;

void *swap(void *arg) {
    atomic_store(&step, two);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, swap, 0);
    int n = atomic_load(&step)(10);
    assert(n > 10);
    pthread_join(t, 0);
    return 0;
}
