// The value that was just read stays in a variable while the loop waits.
// case: set
// explore: safe
// case: never
// cflags: -DNEVER
// explore: bug hang:22-31
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag;

void *setter(void *arg) {
#ifndef NEVER
    atomic_store(&flag, 1);
#endif
    return 0;
}

void *waiter(void *arg) {
    int seen = atomic_load(&flag);
    while (!seen)
        seen = atomic_load(&flag);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, setter, 0);
    pthread_create(&b, 0, waiter, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
