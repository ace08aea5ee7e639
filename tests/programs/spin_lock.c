// A lock made of compare and swap: nobody is inside twice.
// explore: safe
// native: same
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int lock;
int counter;

void *worker(void *arg) {
    int free = 0;
    while (!atomic_compare_exchange_strong(&lock, &free, 1))
        free = 0;
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
