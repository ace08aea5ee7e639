// A thread's last point tells others that it is about to return: when they know, its local variable is gone, whether
// it returns at once or decides something first.
// case: sc
// explore: bug use-after-free:42
// case: tso
// memory: tso
// explore: bug use-after-free:42
// case: decides
// cflags: -DDECIDES
// explore: bug use-after-free:42
// case: decides-pso
// memory: pso
// cflags: -DDECIDES
// explore: bug use-after-free:42
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int *_Atomic shared;
atomic_int steps;

void *publish(void *arg) {
    int local = 1;
    shared = &local;
    int before = atomic_fetch_add(&steps, 1);
#ifdef DECIDES
    switch (before) {
    case 1:
        return &steps;
    case 2:
        return &shared;
    }
#endif
    (void)before;
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, publish, 0);
    // The assertion is never reached: reading what was published fails.
    if (steps == 1 && *shared == 1)
        assert(0);
    pthread_join(thread, 0);
    return 0;
}
