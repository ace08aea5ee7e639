// Dekker's algorithm: two threads, each twice inside, where it adds one to a counter.
//
// Right under sequential consistency. With relaxed accesses both flags can wait in store buffers while both threads look at the
// other's: both are inside, and a count is lost (the assertion fails under TSO and PSO). Full fences repair it.
// CLAP needed 1 preemptive switch, with 3 threads and 39 shared accesses.
// check: assertion
// recorded: assertion:@sum
// preemptions: 1
// case: sc
// explore: safe
// case: bug-tso
// memory: tso
// explore: bug assertion:@sum
// case: bug-pso
// memory: pso
// explore: bug assertion:@sum
// case: repaired-tso
// cflags: -DREPAIRED
// memory: tso
// explore: safe
// case: repaired-pso
// cflags: -DREPAIRED
// memory: pso
// explore: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#include "work.h"

#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifdef REPAIRED
#define FENCE atomic_thread_fence(memory_order_seq_cst)
#else
#define FENCE (void)0
#endif
#define GET(v) atomic_load_explicit(&(v), memory_order_relaxed)
#define SET(v, n) atomic_store_explicit(&(v), n, memory_order_relaxed)

static atomic_int wants[2], turn, sum;

static void enter(int me) {
    SET(wants[me], 1);
    FENCE;
    while (GET(wants[1 - me])) {
        if (GET(turn) == me)
            continue;
        SET(wants[me], 0);
        // If both were inside, the turn may be that of one who has gone.
        while (GET(turn) != me && GET(wants[1 - me])) {
        }
        SET(wants[me], 1);
        FENCE;
    }
}

static void leave(int me) {
    FENCE;
    SET(turn, 1 - me);
    SET(wants[me], 0);
}

static void *thread(void *arg) {
    int me = (int)(long)arg;
    unsigned state = (unsigned)me + 1;
    for (int i = 0; i < ROUNDS; i++) {
        enter(me);
        SET(sum, GET(sum) + 1);
        leave(me);
        state = work(state);
    }
    return (void *)(long)state;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, thread, (void *)0);
    pthread_create(&b, 0, thread, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(GET(sum) == 2 * ROUNDS); // @sum
    return 0;
}
