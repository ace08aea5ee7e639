// A test-and-set lock: taking a lock that is taken writes what was there before, which is waiting.
// explore: safe
// native: same
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int taken;
int counter;

void *worker(void *arg) {
    while (atomic_exchange(&taken, 1)) {
    }
    counter++;
    atomic_store(&taken, 0);
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
