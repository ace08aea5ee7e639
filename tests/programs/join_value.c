// What join returns is what the thread returned, and that depends on an input.
// explore: bug assertion:23
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

void *compute(void *arg) {
    long n = (long)arg;
    int i;
    ordain_input(&i, sizeof i, "i");
    if (i == 1234)
        pthread_exit((void *)99);
    return (void *)(n * 2);
}

int main(void) {
    pthread_t a, b;
    void *x, *y;
    pthread_create(&a, 0, compute, (void *)10);
    pthread_create(&b, 0, compute, (void *)20);
    pthread_join(a, &x);
    pthread_join(b, &y);
    assert((long)x + (long)y == 60);
    return 0;
}
