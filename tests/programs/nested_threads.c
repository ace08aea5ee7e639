// A thread creates a thread, and does not wait for it.
// explore: bug assertion:25
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int done;

void *inner(void *arg) {
    atomic_fetch_add(&done, 1);
    return 0;
}

void *outer(void *arg) {
    pthread_t t;
    pthread_create(&t, 0, inner, 0);
    atomic_fetch_add(&done, 1);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, outer, 0);
    pthread_join(t, 0);
    assert(done == 2);
    return 0;
}
