// A thread publishes the address of a local variable on one side of a branch, has another point on the other side, and
// returns where they meet: whoever sees the pointer is too late, as if there were no branch.
// case: sc
// check: use-after-free,assertion
// explore: bug use-after-free:33 use-after-free:35
// case: tso
// memory: tso
// check: use-after-free,assertion
// explore: bug use-after-free:33 use-after-free:35
// case: pso
// memory: pso
// check: use-after-free,assertion
// explore: bug use-after-free:33 use-after-free:35
#include <pthread.h>

int x, y;
int *shared = &x;

void *publish(void *arg) {
    int local = 1;
    if (y < 1)
        shared = &local;
    else
        arg = (void *)(long)x;
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, publish, 0);
    // Twice, so that the variable would have to live on.
    int once =
        *shared;
    int again =
        *shared;
    y = 0;
    pthread_join(thread, 0);
    return 0;
}
