// Peterson's algorithm. The faulty one says whose turn it is before it says that it wants to enter.
// case: safe
// explore: safe
// case: safe-rounds
// cflags: -DROUNDS=2
// explore: safe
// case: bug
// check: assertion
// cflags: -DTURN_FIRST
// explore: bug assertion:@alone
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef ROUNDS
#define ROUNDS 1
#endif

atomic_int wants[2], turn;
int inside;

void *worker(void *arg) {
    long me = (long)arg, other = 1 - me;
    for (int round = 0; round < ROUNDS; round++) {
#ifdef TURN_FIRST
        turn = other;
        wants[me] = 1;
#else
        wants[me] = 1;
        turn = other;
#endif
        while (wants[other] && turn == other) {
        }
        inside++;
        assert(inside == 1); // @alone
        inside--;
        wants[me] = 0;
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, (void *)0);
    pthread_create(&b, 0, worker, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
