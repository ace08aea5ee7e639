// A lock made of a test and a later set: both may get in.
// explore: bug assertion:26
// check: assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int lock;
int counter;

void *worker(void *arg) {
    while (atomic_load(&lock)) {
    }
    atomic_store(&lock, 1);
    counter++;
    atomic_store(&lock, 0);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 2);
    return 0;
}
