// racey, after Xu, Bodik and Hill: threads mix numbers of a shared array without any protection, and which ones depends on
// the numbers themselves. What comes out depends on the order of all accesses. They start together, by an await. The
// assertion names one outcome: the one in which the second thread begins when the first is done.
// check: assertion
// case: racey
// cflags: -DROUNDS=3
// explore: bug assertion:@outcome
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define ELEMENTS 4
static unsigned element[ELEMENTS] = {1, 2, 3, 4};
static atomic_int started;

static unsigned mix(unsigned i, unsigned j) {
    return (i << 1) ^ (j + 3);
}

static unsigned rounds(unsigned number) {
    for (int i = 0; i < ROUNDS; i++) {
        unsigned at = number % ELEMENTS;
        number = mix(number, element[at]);
        element[at] = number;
    }
    return number;
}

static void *worker(void *arg) {
    atomic_fetch_add(&started, 1);
    while (started != 2) {
    }
    rounds((unsigned)(long)arg);
    return 0;
}

static unsigned signature(void) {
    unsigned all = 0;
    for (int i = 0; i < ELEMENTS; i++)
        all = all * 31 + element[i];
    return all;
}

int main(void) {
    pthread_t a, b;
    // First alone, one after the other, to know the outcome; then again, from the same start.
    rounds(1);
    rounds(2);
    unsigned outcome = signature();
    for (unsigned i = 0; i < ELEMENTS; i++)
        element[i] = i + 1;
    pthread_create(&a, 0, worker, (void *)1);
    pthread_create(&b, 0, worker, (void *)2);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(signature() != outcome); // @outcome
    return 0;
}
