/* A small client of zstd's thread pool: what `make explore-pool` explores, together with the pool's own sources.

   Inputs decide what it does, of what it may do (MAY): whether it only tries to add a job, whether it waits for its
   jobs, how many threads there are from some moment on, and how much memory. Whatever that is, a job that the pool took
   has run once when the client has waited for it and when the pool is gone, and one that it did not take never. That
   no job runs later needs no saying: it would write a counter that the client reads, which is a race. */
#include <assert.h>
#include <ordain.h>
#include <stdlib.h>
#define ZSTD_STATIC_LINKING_ONLY /* for ZSTD_customMem */
#include "pool.h"

enum { TRY = 1, WAIT = 2, RESIZE = 4, RUN_SHORT = 8 };

#ifndef MAY
#define MAY TRY | WAIT | RESIZE
#endif
#ifndef THREADS
#define THREADS 1
#endif
#ifndef QUEUE
#define QUEUE 1
#endif
#ifndef JOBS
#define JOBS 2
#endif

static int may(unsigned what) {
    return ((MAY) & what) != 0;
}

/* An input from 0 to `most`. */
static unsigned choose(unsigned most, const char *name) {
    unsigned char choice;
    ordain_input(&choice, sizeof choice, name);
    ordain_assume(choice <= most);
    return choice;
}

static int runs[JOBS];

static void job(void *opaque) {
    int *own = opaque;
    *own += 1;
}

/* An allocator that has memory for so many objects only. */
static void *allocate(void *opaque, size_t size) {
    unsigned *left = opaque;
    if (*left == 0)
        return NULL;
    *left -= 1;
    return malloc(size);
}

static void release(void *opaque, void *address) {
    (void)opaque;
    free(address);
}

static POOL_ctx *create(void) {
    static unsigned left;
    ZSTD_customMem scarce = {allocate, release, &left};
    if (!may(RUN_SHORT))
        return POOL_create(THREADS, QUEUE);
    left = choose(3, "objects that there is memory for");
    return POOL_create_advanced(THREADS, QUEUE, scarce);
}

/* Whether the pool took it. */
static int offer(POOL_ctx *pool, int *counter) {
    if (may(TRY) && choose(1, "only try to add"))
        return POOL_tryAdd(pool, job, counter);
    POOL_add(pool, job, counter);
    return 1;
}

static void expect(const int *taken) {
    for (int i = 0; i < JOBS; i++)
        assert(runs[i] == taken[i]);
}

int main(void) {
    int taken[JOBS];
    POOL_ctx *pool = create();
    if (!pool)
        return 0;
    for (int i = 0; i < JOBS; i++) {
        taken[i] = offer(pool, &runs[i]);
        if (i == 0 && may(RESIZE)) {
            unsigned threads = choose(2, "threads from now on");
            assert(POOL_resize(pool, threads) == (threads == 0));
        }
    }
    if (may(WAIT) && choose(1, "wait for the jobs")) {
        POOL_joinJobs(pool);
        expect(taken);
    }
    POOL_free(pool);
    expect(taken);
    return 0;
}
