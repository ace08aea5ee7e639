// Which function runs depends on the schedule.
// explore: bug assertion:26
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int good(int n) {
    return n + 1;
}

int bad(int n) {
    return n - 1;
}

int (*_Atomic step)(int) = good;

void *swap(void *arg) {
    atomic_store(&step, bad);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, swap, 0);
    int n = atomic_load(&step)(10);
    assert(n == 11);
    pthread_join(t, 0);
    return 0;
}
