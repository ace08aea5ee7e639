// Successive over-relaxation: every thread smooths its own part of a line of cells, in rounds. A barrier made by hand keeps
// the rounds apart; the largest change of a round, in any part, decides whether to go on.
//
// Three bugs: the barrier counts arrivals in two steps, so that one gets lost and all wait for ever; a cell is written
// without waiting until the neighbours have read it; and the largest change is kept in two steps, so that a larger one is
// overwritten by a smaller.
// check: assertion,hang
// case: bug
// explore: bug hang:@waits assertion:@round assertion:@largest
// case: fixed
// cflags: -DFIXED
// explore: safe
#include <assert.h>
#include <ordain.h>
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 2
#define ROUNDS 2
// A cell per thread, and a fixed one at either end.
#define CELLS (THREADS + 2)

static int cell[CELLS];
static atomic_int round_of[CELLS];
static atomic_int arrived, generation;
static atomic_int largest;
static int change_of[THREADS];
static pthread_mutex_t largest_lock = PTHREAD_MUTEX_INITIALIZER;

static void barrier(void) {
    int mine = generation;
#ifdef FIXED
    if (atomic_fetch_add(&arrived, 1) == THREADS - 1) {
        arrived = 0;
        generation = mine + 1;
    }
#else
    int before = arrived;
    arrived = before + 1;
    if (before == THREADS - 1) {
        generation = mine + 1;
        arrived = 0;
    }
#endif
    else
        while (generation == mine) { // @waits
        }
}

static int distance(int a, int b) {
    return a < b ? b - a : a - b;
}

static void keep_largest(int change) {
#ifdef FIXED
    pthread_mutex_lock(&largest_lock);
#endif
    if (change > largest)
        largest = change;
#ifdef FIXED
    pthread_mutex_unlock(&largest_lock);
#endif
}

static void *relax(void *arg) {
    int me = (int)(long)arg, at = me + 1;
    for (int round = 0; round < ROUNDS; round++) {
        // Neighbours have finished the round before this one, and not yet begun their part of this one.
        for (int side = -1; side <= 1; side += 2)
            if (at + side > 0 && at + side < CELLS - 1)
                assert(round_of[at + side] == round); // @round
        int fresh = (cell[at - 1] + cell[at + 1]) / 2, change = distance(fresh, cell[at]);
#ifdef FIXED
        barrier();
#endif
        cell[at] = fresh;
        round_of[at] = round + 1;
        if (round == 0) {
            change_of[me] = change;
            keep_largest(change);
        }
        barrier();
    }
    return 0;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < CELLS; i++) {
        unsigned char value;
        ordain_input(&value, sizeof value, "cell");
        cell[i] = value;
    }
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, relax, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    for (int i = 0; i < THREADS; i++)
        assert(largest >= change_of[i]); // @largest
    return 0;
}
