// aget, a downloader: every thread fetches its own range of a file and counts what it has got, in its range and in a total
// for all of them. On a signal, a thread saves both so that the download can be resumed, and all is taken to be
// consistent then.
//
// The bug: range and total are updated one after the other, and saving knows nothing of either. A resumed download trusts
// the total, and part of the file is never fetched (or the count of what is left is wrong for ever).
// check: assertion
// case: bug
// explore: bug assertion:@resume
// case: fixed
// cflags: -DFIXED
// explore: safe
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

#ifndef THREADS
#define THREADS 2
#endif
// The file, in blocks.
#define LENGTH (2 * THREADS)

struct range {
    long first, last, next;
};

struct download {
    struct range range[THREADS];
    long fetched;
};

static struct download now, saved;
static int was_saved;
static unsigned char file[LENGTH];
static pthread_mutex_t fetched_lock = PTHREAD_MUTEX_INITIALIZER, range_lock = PTHREAD_MUTEX_INITIALIZER;

// What the network hands out of what was asked for: at least one block.
static long receive(long wanted) {
    unsigned char got;
    ordain_input(&got, sizeof got, "received");
    ordain_assume(1 <= got && got <= wanted);
    return got;
}

static void write_blocks(long at, long count) {
    for (long i = 0; i < count; i++)
        file[at + i] = 1;
}

static void count_fetched(long blocks) {
    pthread_mutex_lock(&fetched_lock);
    now.fetched += blocks;
    pthread_mutex_unlock(&fetched_lock);
}

static void *fetch(void *arg) {
    struct range *range = arg;
    while (range->next < range->last) {
        long blocks = receive(range->last - range->next);
        write_blocks(range->next, blocks);
#ifdef FIXED
        pthread_mutex_lock(&range_lock);
#endif
        range->next += blocks;
        count_fetched(blocks);
#ifdef FIXED
        pthread_mutex_unlock(&range_lock);
#endif
    }
    return 0;
}

static void save_log(void) {
#ifdef FIXED
    pthread_mutex_lock(&range_lock);
#endif
    pthread_mutex_lock(&fetched_lock);
    saved.fetched = now.fetched;
    pthread_mutex_unlock(&fetched_lock);
    for (int i = 0; i < THREADS; i++)
        saved.range[i] = now.range[i];
#ifdef FIXED
    pthread_mutex_unlock(&range_lock);
#endif
    was_saved = 1;
}

static void *wait_for_signal(void *arg) {
    unsigned char interrupted;
    ordain_input(&interrupted, sizeof interrupted, "interrupted");
    if (interrupted)
        save_log();
    return 0;
}

// What a later start of the program reads from the log.
static void resume(void) {
    long left = LENGTH - saved.fetched, missing = 0;
    for (int i = 0; i < THREADS; i++)
        missing += saved.range[i].last - saved.range[i].next;
    assert(left == missing); // @resume
}

int main(void) {
    pthread_t signals, threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        long share = LENGTH / THREADS;
        now.range[i] = (struct range){i * share, (i + 1) * share, i * share};
    }
    pthread_create(&signals, 0, wait_for_signal, 0);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, fetch, &now.range[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    pthread_join(signals, 0);
    for (int i = 0; i < LENGTH; i++)
        assert(file[i]);
    if (was_saved)
        resume();
    return 0;
}
