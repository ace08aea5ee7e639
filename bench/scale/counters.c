// Threads count under a lock. One of them, once, adds without it, and takes its time: a count is lost.
//
// For how the time to reproduce a failure grows with the length of the run.
// check: assertion
// recorded: assertion:@count
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

#ifndef THREADS
#define THREADS 4
#endif
// How often each thread counts.
#ifndef ROUNDS
#define ROUNDS 60
#endif

static int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *arg) {
    for (int i = 0; i < ROUNDS; i++) {
        if (arg && i == ROUNDS / 2) {
            int seen = count;
            usleep(2000);
            count = seen + 1;
            continue;
        }
        pthread_mutex_lock(&lock);
        count++;
        pthread_mutex_unlock(&lock);
        if (i % 64 == 0)
            usleep(50);
    }
    return 0;
}

int main(void) {
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, add, (void *)(long)(i == 0));
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    assert(count == THREADS * ROUNDS); // @count
    return 0;
}
