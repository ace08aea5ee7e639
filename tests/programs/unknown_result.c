// The result of a join goes into memory that another thread frees: whether before or after cannot be asked yet.
// check: use-after-free
// explore: unknown
// reason: pthread_join stores its result into memory that is freed
#include <pthread.h>
#include <stdlib.h>

void **slot;

void *nothing(void *arg) {
    return arg;
}

void *drop(void *arg) {
    free(slot);
    return arg;
}

int main(void) {
    pthread_t a, b;
    slot = malloc(sizeof *slot);
    pthread_create(&a, 0, nothing, 0);
    pthread_join(a, slot);
    pthread_create(&b, 0, drop, 0);
    pthread_join(b, 0);
    return 0;
}
