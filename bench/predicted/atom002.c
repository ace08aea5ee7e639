// Apache's scoreboard: a worker takes requests through eleven phases and adds each time to three totals; the status page reads
// the totals, prints them, and sets them back to 0.
//
// The run: the worker (0.1) serves all requests, then the status page (0.2) is made. Every access is under the lock.
// The bug: the page reads in one critical section and sets back in a later one. What the worker adds in between is in no report.
//
// 33 orders of three accesses are unserialisable: for each of three totals, the page's read, any of the eleven phases (each on its own
// line), the page's write. With the page in one piece, a phase comes before it, and the page reads what the phase has added; or after
// it, and the total is not 0 in the end (nobody adds 0). Each total is read once and written once in the region, so there are no
// other pairs. Main only reads, after the joins.
// Repaired, the page says under the lock, before and after the region, that it is being made, and a phase waits until it is not, in the
// section in which it adds. The worker has never waited in the run, so it finds the flag down each time, and that is before or after
// the region. Whoever looks at locks alone still sees all 33.
// Fusion has 3 threads, 1 region, 349 events, 33 violations, and 0 of 33 in the repaired program.
// regions: marked
// only: atomicity
// case: atom002
// violations: 33
// blind: 33
// case: atom002a
// cflags: -DREPAIRED
// predict: none
// violations: 0
// blind: 33
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

enum { REQUESTS = 4 };

struct totals {
    int steps, bytes, ticks;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct totals board;

#ifdef REPAIRED
static int reporting;
static pthread_cond_t reported = PTHREAD_COND_INITIALIZER;

static void set_reporting(int now) {
    pthread_mutex_lock(&lock);
    reporting = now;
    if (!now)
        pthread_cond_broadcast(&reported);
    pthread_mutex_unlock(&lock);
}

#define AWAIT_REPORT()                                                                                                 \
    while (reporting)                                                                                                  \
    pthread_cond_wait(&reported, &lock)
#else
#define AWAIT_REPORT() (void)0
#endif

// All of it is on the line that uses it.
#define PHASE(n, length, time)                                                                                         \
    do {                                                                                                               \
        pthread_mutex_lock(&lock);                                                                                     \
        AWAIT_REPORT();                                                                                                \
        board.steps += (n);                                                                                            \
        board.bytes += (length);                                                                                       \
        board.ticks += (time);                                                                                         \
        pthread_mutex_unlock(&lock);                                                                                   \
    } while (0)

static void serve(int request) {
    PHASE(1, 1, 3);             // accept
    PHASE(1, 40, 2);            // read the header
    PHASE(1, 2, 1);             // map the name
    PHASE(1, 16, 5);            // who is it
    PHASE(1, 4, 2);             // may they
    PHASE(1, 8, 1);             // of which type is it
    PHASE(1, 6, 1);             // correct the header
    PHASE(2, 100 + request, 9); // the content
    PHASE(1, 20, 4);            // compress it
    PHASE(1, 12, 2);            // log
    PHASE(1, 1, 1);             // close
}

static void *work(void *arg) {
    for (int i = 0; i < REQUESTS; i++)
        serve(i);
    return arg;
}

static void *report(void *arg) {
    struct totals *page = arg;
#ifdef REPAIRED
    set_reporting(1);
#endif
    ordain_atomic_begin();
    pthread_mutex_lock(&lock);
    page->steps = board.steps;
    page->bytes = board.bytes;
    page->ticks = board.ticks;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    board.steps = 0;
    board.bytes = 0;
    board.ticks = 0;
    pthread_mutex_unlock(&lock);
    ordain_atomic_end();
#ifdef REPAIRED
    set_reporting(0);
#endif
    return arg;
}

int main(void) {
    pthread_t worker, reporter;
    struct totals page = {0, 0, 0};
    pthread_create(&worker, 0, work, 0);
    pthread_create(&reporter, 0, report, &page);
    pthread_join(worker, 0);
    pthread_join(reporter, 0);
    assert(page.steps + board.steps == REQUESTS * 12);
    assert(page.bytes + board.bytes == REQUESTS * 210 + REQUESTS * (REQUESTS - 1) / 2);
    assert(page.ticks + board.ticks == REQUESTS * 31);
    return 0;
}
