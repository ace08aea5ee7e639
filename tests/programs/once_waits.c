// Whoever comes second waits until the first one is done.
// explore: safe
// native: same
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_once_t once = PTHREAD_ONCE_INIT;
int x, calls;

void initialise(void) {
    calls++;
    x = 1;
}

void *worker(void *arg) {
    pthread_once(&once, initialise);
    assert(x == 1);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(calls == 1);
    return 0;
}
