// racey, after Xu, Bodik and Hill: two threads mix the numbers of a shared array, which ones depends on the numbers, and nothing
// protects them. What comes out depends on the order of all accesses. They start together, by flags.
//
// The failure is an outcome whose last two bits are the wanted ones. Beyond that, main prints the last
// BITS bits of the outcome one by one, each a branch: whoever takes the same path has come to the same outcome. There is
// no repaired twin; the threads one after the other (REPAIRED) have one outcome, which is not the wanted one.
// CLAP needed 276 switches, with 3 threads and 1,361,588 shared accesses.
// check: assertion
// recorded: assertion:@outcome
// preemptions: 276
// case: bug
// cflags: -DROUNDS=3 -DELEMENTS=4 -DBITS=0
// explore: bug assertion:@outcome
// case: repaired
// cflags: -DROUNDS=3 -DELEMENTS=4 -DBITS=0 -DREPAIRED
// explore: safe
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#ifndef ROUNDS
#define ROUNDS 1500
#endif
#ifndef ELEMENTS
#define ELEMENTS 64
#endif
#ifndef BITS
#define BITS 32
#endif
// So that the threads are there together for some time.
#ifndef YIELD_EVERY
#define YIELD_EVERY 8
#endif
#define THREADS 2

static unsigned elements[ELEMENTS], numbers[THREADS], wanted;
static atomic_int started[THREADS];

static unsigned mix(unsigned a, unsigned b) {
    return (a << 5 | a >> 27) ^ (b * 9 + 7);
}

static void rounds(int me) {
    for (int i = 0; i < ROUNDS; i++) {
        unsigned number = numbers[me];
        number = mix(number, elements[number % ELEMENTS]);
        unsigned at = number % ELEMENTS;
        number = mix(number, elements[at]);
        elements[at] = number;
        numbers[me] = number;
        if (i % YIELD_EVERY == YIELD_EVERY - 1)
            sched_yield();
    }
}

static void *thread(void *arg) {
    int me = (int)(long)arg;
    atomic_store(&started[me], 1);
#ifndef REPAIRED
    while (!atomic_load(&started[1 - me]))
        sched_yield();
#endif
    rounds(me);
    return 0;
}

static void prepare(void) {
    for (unsigned i = 0; i < ELEMENTS; i++)
        elements[i] = i + 1;
    for (unsigned i = 0; i < THREADS; i++)
        numbers[i] = i + 1;
}

static unsigned outcome(void) {
    unsigned all = 0;
    for (int i = 0; i < ELEMENTS; i++)
        all = all * 31 + elements[i];
    return all ^ all >> 16;
}

static void print_bits(unsigned number) {
    for (int i = BITS - 1; i >= 0; i--)
        putchar(number >> i & 1 ? '1' : '0');
    if (BITS > 0)
        putchar('\n');
}

int main(void) {
    pthread_t threads[THREADS];
    // One after the other, to know what is not wanted.
    prepare();
    for (int i = 0; i < THREADS; i++)
        rounds(i);
    wanted = (outcome() + 1) % 4;
    prepare();
    for (long i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], 0, thread, (void *)i);
#ifdef REPAIRED
        pthread_join(threads[i], 0);
#endif
    }
#ifndef REPAIRED
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
#endif
    unsigned out = outcome();
    print_bits(out);
    assert(out % 4 != wanted); // @outcome
    return 0;
}
