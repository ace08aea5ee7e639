// A bounded buffer with several producers and consumers.
//
// The bug: a consumer that has waited does not look again whether there is anything. If another consumer was quicker, it
// takes what is not there (the assertion fails).
// CLAP needed 1 preemptive switch, with 5 threads and 64 shared accesses.
// check: assertion
// spurious: off
// recorded: assertion:@empty
// preemptions: 1
// case: bug
// cflags: -DPRODUCERS=1 -DITEMS=2
// explore: bug assertion:@empty
// case: repaired
// cflags: -DPRODUCERS=1 -DITEMS=2 -DREPAIRED
// explore: safe
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef CONSUMERS
#define CONSUMERS 2
#endif
// In all; a multiple of both.
#ifndef ITEMS
#define ITEMS 2
#endif
#ifndef SLOTS
#define SLOTS 2
#endif
// How long it takes to make an item or to put it into the buffer, in microseconds. One consumer is there before the first item,
// the other comes while it is put into the buffer.
#ifndef WORK
#define WORK 600
#endif

static int slots[SLOTS], in, out, count, sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;

static void work(long times) {
    if (WORK > 0)
        usleep(times * WORK);
}

static void *produce(void *arg) {
    for (int i = 0; i < ITEMS / PRODUCERS; i++) {
        work(2 + 4 * (long)arg);
        pthread_mutex_lock(&lock);
        while (count == SLOTS)
            pthread_cond_wait(&not_full, &lock);
        work(2);
        slots[in] = i + 1;
        in = (in + 1) % SLOTS;
        count++;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *consume(void *arg) {
    for (int i = 0; i < ITEMS / CONSUMERS; i++) {
        work(3 * (long)arg);
        pthread_mutex_lock(&lock);
#ifdef REPAIRED
        while (count == 0)
#else
        if (count == 0)
#endif
            pthread_cond_wait(&not_empty, &lock);
        assert(count > 0); // @empty
        sum += slots[out];
        out = (out + 1) % SLOTS;
        count--;
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void) {
    pthread_t producers[PRODUCERS], consumers[CONSUMERS];
    for (long i = 0; i < CONSUMERS; i++)
        pthread_create(&consumers[i], 0, consume, (void *)i);
    for (long i = 0; i < PRODUCERS; i++)
        pthread_create(&producers[i], 0, produce, (void *)i);
    for (int i = 0; i < PRODUCERS; i++)
        pthread_join(producers[i], 0);
    for (int i = 0; i < CONSUMERS; i++)
        pthread_join(consumers[i], 0);
    assert(count == 0);
    return 0;
}
