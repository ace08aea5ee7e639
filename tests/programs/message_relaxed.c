// A relaxed flag orders nothing.
// explore: bug race:10-20
#include <pthread.h>
#include <stdatomic.h>

int data;
atomic_int ready;

void *sender(void *arg) {
    data = 5;
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return 0;
}

int main(void) {
    pthread_t t;
    int seen = 0;
    pthread_create(&t, 0, sender, 0);
    if (atomic_load_explicit(&ready, memory_order_acquire))
        seen = data;
    pthread_join(t, 0);
    return seen;
}
