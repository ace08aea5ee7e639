// A flag of one's own is not enough to do something once.
// check: assertion
// explore: bug assertion:30
#include <assert.h>
#include <errno.h>
#include <pthread.h>

int done;
int x, calls;

void initialise(void) {
    calls++;
    x = 1;
}

void *worker(void *arg) {
    if (!done)
        initialise();
    done = 1;
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
