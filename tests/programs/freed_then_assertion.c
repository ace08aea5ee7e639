// Before the assertion that always fails, there is an access that fails only if the other thread was quicker: that is one bug,
// and the assertion is another.
// check: use-after-free,assertion
// explore: bug use-after-free:12 assertion:13
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int *h, y;

void *worker(void *arg) {
    h[0] = 2;
    assert(y != 0);
    return arg;
}

int main(void) {
    pthread_t thread;
    h = malloc(sizeof(int));
    pthread_create(&thread, 0, worker, 0);
    free(h);
    pthread_join(thread, 0);
    return 0;
}
