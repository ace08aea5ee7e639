// Lamport's bakery. The faulty one does not say that it is about to draw a number, so two with equal numbers do not wait
// for each other's choice.
// case: safe
// cflags: -DN=2
// explore: safe
// case: safe-three
// cflags: -DN=3
// explore: safe
// case: bug
// check: assertion
// cflags: -DN=2 -DSILENT
// explore: bug assertion:@alone
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int choosing[N], number[N];
int inside;

void *worker(void *arg) {
    int me = (int)(long)arg, highest = 0;
#ifndef SILENT
    choosing[me] = 1;
#endif
    for (int k = 0; k < N; k++) {
        int n = number[k];
        highest = n > highest ? n : highest;
    }
    int mine = highest + 1;
    number[me] = mine;
    choosing[me] = 0;
    for (int k = 0; k < N; k++) {
        if (k == me)
            continue;
        while (choosing[k]) {
        }
        for (;;) {
            int n = number[k];
            if (n == 0 || n > mine || (n == mine && k > me))
                break;
        }
    }
    inside++;
    assert(inside == 1); // @alone
    inside--;
    number[me] = 0;
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
