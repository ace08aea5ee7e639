// A thread takes a branch and then, in the same step, another one by something undefined: the first one was taken.
// check: uninitialised
// paths: 0
// explore: bug uninitialised:16
#include <pthread.h>

int x;

void *worker(void *arg) {
    int local[2];
    int larger = 1;
    if (x > 0)
        larger = 2;
    local[0] = larger;
    // Only the other one has a value.
    if (local[1] == 1)
        x = larger;
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    x = 1;
    pthread_join(thread, 0);
    return 0;
}
