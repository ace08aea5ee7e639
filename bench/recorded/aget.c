// aget, a downloader: every thread fetches its own range of a file, block by block, and adds what it got to a total. When the
// user interrupts, one more thread saves the ranges and the total for a later start.
//
// The bug: a range and the total are updated one after the other, and saving knows nothing of it. The saved total is not
// what the saved ranges add up to then (the assertion fails).
// CLAP needed 1 preemptive switch, with 4 threads and 1,951 shared accesses.
// check: assertion
// recorded: assertion:@resume
// preemptions: 1
// case: bug
// cflags: -DBLOCKS=1
// explore: bug assertion:@resume
// case: repaired
// cflags: -DBLOCKS=1 -DREPAIRED
// explore: safe
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

#ifndef DOWNLOADERS
#define DOWNLOADERS 2
#endif
// Per thread.
#ifndef BLOCKS
#define BLOCKS 60
#endif
#ifndef BYTES
#define BYTES 4
#endif
// When the user interrupts, and how long the network takes for a block, in microseconds.
#ifndef INTERRUPT
#define INTERRUPT 800
#endif
// The machine is slow at the wrong moment after every so many-th block.
#ifndef SLOW_EVERY
#define SLOW_EVERY 8
#endif
#ifndef NETWORK
#define NETWORK 5
#endif

struct range {
    int first, next, last;
};

static struct range ranges[DOWNLOADERS], saved[DOWNLOADERS];
static int total, saved_total;
// Known to others, so that it is not left out.
unsigned char file[DOWNLOADERS * BLOCKS * BYTES];
static pthread_mutex_t total_lock = PTHREAD_MUTEX_INITIALIZER;
#ifdef REPAIRED
static pthread_mutex_t range_lock = PTHREAD_MUTEX_INITIALIZER;
#define BEGIN pthread_mutex_lock(&range_lock)
#define END pthread_mutex_unlock(&range_lock)
#else
#define BEGIN (void)0
#define END (void)0
#endif

static void receive(int at) {
    if (NETWORK > 0)
        usleep(NETWORK);
    for (int i = 0; i < BYTES; i++)
        file[at + i] = (unsigned char)(at + i) | 1;
}

static void *download(void *arg) {
    struct range *range = arg;
    while (range->next < range->last) {
        receive(range->next);
        BEGIN;
        range->next += BYTES;
        if (NETWORK > 0 && range->next / BYTES % SLOW_EVERY == 0)
            usleep(NETWORK);
        pthread_mutex_lock(&total_lock);
        total += BYTES;
        pthread_mutex_unlock(&total_lock);
        END;
    }
    return 0;
}

static void *save(void *arg) {
    usleep(INTERRUPT);
    BEGIN;
    for (int i = 0; i < DOWNLOADERS; i++)
        saved[i] = ranges[i];
    pthread_mutex_lock(&total_lock);
    saved_total = total;
    pthread_mutex_unlock(&total_lock);
    END;
    return arg;
}

// What a later start of the program would find.
static void resume(void) {
    int fetched = 0;
    for (int i = 0; i < DOWNLOADERS; i++)
        fetched += saved[i].next - saved[i].first;
    assert(fetched == saved_total); // @resume
}

int main(void) {
    pthread_t saver, threads[DOWNLOADERS];
    for (int i = 0; i < DOWNLOADERS; i++) {
        int first = i * BLOCKS * BYTES;
        ranges[i] = (struct range){first, first, first + BLOCKS * BYTES};
    }
    pthread_create(&saver, 0, save, 0);
    for (int i = 0; i < DOWNLOADERS; i++)
        pthread_create(&threads[i], 0, download, &ranges[i]);
    for (int i = 0; i < DOWNLOADERS; i++)
        pthread_join(threads[i], 0);
    pthread_join(saver, 0);
    resume();
    return 0;
}
