// Dekker's algorithm. The faulty one does not look at the other's wish again after it was its turn to wait.
// case: safe
// cflags: -DROUNDS=1
// explore: safe
// case: safe-rounds
// cflags: -DROUNDS=2
// explore: safe
// case: bug
// check: assertion
// cflags: -DROUNDS=2 -DENTER_AFTER_TURN
// explore: bug assertion:@alone
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int wants[2], turn;
int inside;

void enter(int me, int other) {
    wants[me] = 1;
    while (wants[other]) {
        if (turn == me)
            continue;
        wants[me] = 0;
        while (turn != me) {
        }
        wants[me] = 1;
#ifdef ENTER_AFTER_TURN
        break;
#endif
    }
}

void *worker(void *arg) {
    int me = (int)(long)arg, other = 1 - me;
    for (int round = 0; round < ROUNDS; round++) {
        enter(me, other);
        inside++;
        assert(inside == 1); // @alone
        inside--;
        turn = other;
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
