// A thread gets the argument that it was created with, also if that is an input.
// explore: safe
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

void *worker(void *arg) {
    assert((long)arg >= 10 && (long)arg < 14);
    return 0;
}

int main(void) {
    unsigned char i;
    ordain_input(&i, sizeof i, "i");
    pthread_t t;
    pthread_create(&t, 0, worker, (void *)(long)(10 + i % 4));
    pthread_join(t, 0);
    return 0;
}
