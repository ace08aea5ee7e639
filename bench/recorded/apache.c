// Apache's log (bug 25520): workers take connections from a queue, serve them, and append a line to a buffer that all of them share.
//
// The bug: where the next line goes is read, and written back after the line was copied, without a lock. Of two workers that
// append together one overwrites the other's line, and the log is too short (the assertion fails).
// CLAP needed 3 preemptive switches for its Apache, with 28 threads and 81,237 shared accesses.
// check: assertion
// recorded: assertion:@complete
// preemptions: 3
// case: bug
// cflags: -DWORKERS=2 -DCONNECTIONS=2 -DLINE=1 -DREQUEST=1
// explore: bug assertion:@complete
// case: repaired
// cflags: -DWORKERS=2 -DCONNECTIONS=2 -DLINE=1 -DREQUEST=1 -DREPAIRED
// explore: safe
#include <assert.h>
#include <pthread.h>
#include <sched.h>

#ifndef WORKERS
#define WORKERS 27
#endif
// Every worker serves as many.
#ifndef CONNECTIONS
#define CONNECTIONS 810
#endif
// Of a line of the log and of a request, in bytes.
#ifndef LINE
#define LINE 8
#endif
#ifndef REQUEST
#define REQUEST 24
#endif
// A worker gives way in the middle of every so many-th line.
#ifndef PAUSE_EVERY
#define PAUSE_EVERY 16
#endif

static struct {
    pthread_mutex_t lock;
    int connections[CONNECTIONS], first;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct {
    char text[CONNECTIONS * LINE];
    int used;
} journal;
#ifdef REPAIRED
static pthread_mutex_t journal_lock = PTHREAD_MUTEX_INITIALIZER;
#endif

static unsigned char requests[CONNECTIONS][REQUEST];
// What each worker has done so far.
static struct {
    int served, bytes, sum;
} scoreboard[WORKERS];

static int pop(void) {
    pthread_mutex_lock(&queue.lock);
    int connection = queue.connections[queue.first++];
    pthread_mutex_unlock(&queue.lock);
    return connection;
}

static void serve(int worker, int connection) {
    scoreboard[worker].served++;
    for (int i = 0; i < REQUEST; i++) {
        scoreboard[worker].bytes++;
        scoreboard[worker].sum += requests[connection][i];
    }
}

static void append(int slow) {
#ifdef REPAIRED
    pthread_mutex_lock(&journal_lock);
#endif
    int at = journal.used;
    for (int i = 0; i < LINE; i++)
        journal.text[at + i] = i + 1 < LINE ? '.' : '\n';
    if (slow)
        sched_yield();
    journal.used = at + LINE;
#ifdef REPAIRED
    pthread_mutex_unlock(&journal_lock);
#endif
}

static void *work(void *arg) {
    int me = (int)(long)arg;
    for (int i = 0; i < CONNECTIONS / WORKERS; i++) {
        serve(me, pop());
        append(i % PAUSE_EVERY == PAUSE_EVERY - 1);
    }
    return 0;
}

int main(void) {
    pthread_t workers[WORKERS];
    for (int i = 0; i < CONNECTIONS; i++)
        queue.connections[i] = i;
    for (long i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], 0, work, (void *)i);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], 0);
    assert(journal.used == CONNECTIONS * LINE); // @complete
    return 0;
}
