// explore: safe
// native: same
#include <assert.h>
#include <pthread.h>

void *compute(void *arg) {
    return (void *)((long)arg * 2);
}

int main(void) {
    pthread_t a, b;
    void *x, *y;
    pthread_create(&a, 0, compute, (void *)10);
    pthread_create(&b, 0, compute, (void *)20);
    pthread_join(b, &y);
    pthread_join(a, &x);
    assert((long)x + (long)y == 60);
    return 0;
}
