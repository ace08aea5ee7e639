// A thread publishes the address of a local variable and returns at once: whoever sees the pointer is too late, under
// every memory model.
// case: sc
// check: use-after-free,assertion
// explore: bug use-after-free:30
// case: tso
// check: use-after-free,assertion
// memory: tso
// explore: bug use-after-free:30
// case: pso
// check: use-after-free,assertion
// memory: pso
// explore: bug use-after-free:30
#include <assert.h>
#include <pthread.h>

int *shared;

void *publish(void *arg) {
    int local = 1;
    shared = &local;
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, publish, 0);
    int *seen = shared;
    // Never true: reading it fails.
    if (seen && *seen == 1)
        assert(0);
    pthread_join(thread, 0);
    return 0;
}
