// Three inputs are sorted by two threads, each of which compares and swaps its own pair, with a barrier between the rounds.
// Two threads that share an element without the barrier lose a value.
// case: safe
// explore: safe
// case: bug
// cflags: -DNO_BARRIER
// check: assertion
// explore: bug assertion:@sorted
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

#define SIZE 3
int element[SIZE];
pthread_barrier_t barrier;

void order(int i) {
    if (element[i] > element[i + 1]) {
        int larger = element[i];
        element[i] = element[i + 1];
        element[i + 1] = larger;
    }
}

// The even thread has the first and the third round, the odd one the second.
void *worker(void *arg) {
    for (int round = 0; round < SIZE; round++) {
        if (round % 2 == (long)arg)
            order((int)(long)arg);
#ifndef NO_BARRIER
        pthread_barrier_wait(&barrier);
#endif
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    for (int i = 0; i < SIZE; i++)
        ordain_input(&element[i], sizeof element[i], "element");
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&a, 0, worker, (void *)0);
    pthread_create(&b, 0, worker, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(element[0] <= element[1] && element[1] <= element[2]); // @sorted
    return 0;
}
