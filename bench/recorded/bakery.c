// Lamport's bakery: every thread draws a number higher than all it sees, and waits for those with lower ones. Inside, it adds one
// to a counter.
//
// Right under sequential consistency. With relaxed accesses, a number (or that one is being drawn) can wait in a store buffer
// while its thread looks at those of the others: two are inside, and a count is lost (the assertion fails under TSO and PSO).
// Full fences repair it. CLAP needed 1 preemptive switch, with 5 threads and 218 shared accesses.
// check: assertion
// recorded: assertion:@sum
// preemptions: 1
// case: sc
// cflags: -DTHREADS=2
// explore: safe
// case: bug-tso
// cflags: -DTHREADS=2
// memory: tso
// explore: bug assertion:@sum
// case: bug-pso
// cflags: -DTHREADS=2
// memory: pso
// explore: bug assertion:@sum
// case: repaired-tso
// cflags: -DTHREADS=2 -DREPAIRED
// memory: tso
// explore: safe
// case: repaired-pso
// cflags: -DTHREADS=2 -DREPAIRED
// memory: pso
// explore: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#include "work.h"

#ifndef THREADS
#define THREADS 4
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
#ifdef REPAIRED
#define FENCE atomic_thread_fence(memory_order_seq_cst)
#else
#define FENCE (void)0
#endif
#define GET(v) atomic_load_explicit(&(v), memory_order_relaxed)
#define SET(v, n) atomic_store_explicit(&(v), n, memory_order_relaxed)

static atomic_int choosing[THREADS], number[THREADS], sum;

static void enter(int me) {
    int highest = 0;
    SET(choosing[me], 1);
    FENCE;
    for (int i = 0; i < THREADS; i++) {
        int other = GET(number[i]);
        highest = other > highest ? other : highest;
    }
    SET(number[me], highest + 1);
    FENCE;
    SET(choosing[me], 0);
    FENCE;
    for (int i = 0; i < THREADS; i++) {
        if (i == me)
            continue;
        while (GET(choosing[i])) {
        }
        for (int other; (other = GET(number[i])) != 0;)
            if (other > highest + 1 || (other == highest + 1 && i > me))
                break;
    }
}

static void leave(int me) {
    FENCE;
    SET(number[me], 0);
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
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, thread, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    assert(GET(sum) == THREADS * ROUNDS); // @sum
    return 0;
}
