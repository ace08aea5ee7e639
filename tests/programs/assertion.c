// A lost update, without a data race: the increment is an atomic load and an atomic store.
// explore: bug assertion:21
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int counter;

void *increment(void *arg) {
    int seen = atomic_load(&counter);
    atomic_store(&counter, seen + 1);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, increment, 0);
    pthread_create(&b, 0, increment, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 2);
    return 0;
}
