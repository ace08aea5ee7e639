// Producers and consumers with a queue under a lock. Once, a producer puts an item into the slot that it has looked up before it
// took its time to make it: an item is lost, and another is there twice or is none.
//
// For how the time to reproduce a failure grows with the length of the run.
// check: assertion
// recorded: assertion:@sum
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef CONSUMERS
#define CONSUMERS 2
#endif
// How many items each thread makes or takes.
#ifndef ROUNDS
#define ROUNDS 20
#endif
// Enough for all items: whoever saw that there was room need not have been in time.
#define SLOTS (PRODUCERS * ROUNDS)

static int slots[SLOTS], in, out, count;
static long sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *produce(void *arg) {
    for (int i = 0; i < ROUNDS; i++) {
        int hasty = arg && i == ROUNDS / 2;
        int slot = in;
        if (hasty)
            usleep(2000);
        pthread_mutex_lock(&lock);
        if (!hasty)
            slot = in;
        slots[slot] = i + 1;
        in++;
        count++;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
        if (i % 32 == 0)
            usleep(50);
    }
    return 0;
}

static void *consume(void *arg) {
    for (int i = 0; i < ROUNDS * PRODUCERS / CONSUMERS; i++) {
        pthread_mutex_lock(&lock);
        while (count == 0)
            pthread_cond_wait(&changed, &lock);
        sum += slots[out];
        out++;
        count--;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void) {
    pthread_t producers[PRODUCERS], consumers[CONSUMERS];
    for (long i = 0; i < PRODUCERS; i++)
        pthread_create(&producers[i], 0, produce, (void *)(long)(i == 0));
    for (int i = 0; i < CONSUMERS; i++)
        pthread_create(&consumers[i], 0, consume, 0);
    for (int i = 0; i < PRODUCERS; i++)
        pthread_join(producers[i], 0);
    for (int i = 0; i < CONSUMERS; i++)
        pthread_join(consumers[i], 0);
    assert(sum == (long)PRODUCERS * ROUNDS * (ROUNDS + 1) / 2); // @sum
    return 0;
}
