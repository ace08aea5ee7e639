// A parallel sort in the manner of SWARM's: every worker counts the digits of its part of the numbers, one adds the counts up
// to places, and every worker puts its numbers where they belong; barriers between the phases.
//
// The bug: digits are counted in one table for all, without a lock. A lost count makes two numbers fall on one place, and the
// result is not what was to be sorted (the assertion fails).
// CLAP needed 2 preemptive switches, with 3 threads and 1,265 shared accesses.
// check: assertion
// recorded: assertion:@complete
// preemptions: 2
// case: bug
// cflags: -DNUMBERS=4
// explore: bug assertion:@complete
// case: repaired
// cflags: -DNUMBERS=4 -DREPAIRED
// explore: safe
#include <assert.h>
#include <pthread.h>
#include <sched.h>

#ifndef WORKERS
#define WORKERS 2
#endif
// A multiple of the workers.
#ifndef NUMBERS
#define NUMBERS 120
#endif
// A worker gives way in the middle of every so many-th count.
#ifndef PAUSE_EVERY
#define PAUSE_EVERY 8
#endif
#define DIGITS 4
#define SHARE (NUMBERS / WORKERS)

static int from[NUMBERS], to[NUMBERS];
static int counts[DIGITS], places[DIGITS];
static pthread_barrier_t barrier;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void count(int digit, int slow) {
#ifdef REPAIRED
    pthread_mutex_lock(&lock);
#endif
    int seen = counts[digit];
    if (slow)
        sched_yield();
    counts[digit] = seen + 1;
#ifdef REPAIRED
    pthread_mutex_unlock(&lock);
#endif
}

static int place(int digit) {
    pthread_mutex_lock(&lock);
    int at = places[digit]++;
    pthread_mutex_unlock(&lock);
    return at;
}

static void *sort(void *arg) {
    int *part = arg;
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < SHARE; i++)
        count(part[i] % DIGITS, i % PAUSE_EVERY == 0);
    pthread_barrier_wait(&barrier);
    if (part == from)
        for (int digit = 1; digit < DIGITS; digit++)
            places[digit] = places[digit - 1] + counts[digit - 1];
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < SHARE; i++)
        to[place(part[i] % DIGITS)] = part[i];
    return 0;
}

// Whether the numbers are still those that there were.
static int is_complete(void) {
    int before = 0, after = 0;
    for (int i = 0; i < NUMBERS; i++) {
        before += from[i];
        after += to[i];
    }
    return before == after;
}

int main(void) {
    pthread_t workers[WORKERS];
    for (int i = 0; i < NUMBERS; i++)
        from[i] = 1 + i * 12 % 31;
    pthread_barrier_init(&barrier, 0, WORKERS);
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], 0, sort, from + i * SHARE);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], 0);
    assert(is_complete()); // @complete
    return 0;
}
