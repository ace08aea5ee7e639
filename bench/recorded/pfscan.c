// pfscan, a parallel scanner of files: main puts files into a bounded queue, workers take them out, look for a word, and enter
// every file that has it into a table of results. The files are in memory here.
//
// The bug: the next free entry of the table is taken without a lock. Two workers take the same one, and a result is lost
// (the assertion fails).
// CLAP needed 3 preemptive switches, with 3 threads and 2,864 shared accesses.
// check: assertion
// spurious: off
// recorded: assertion:@found
// preemptions: 3
// case: bug
// cflags: -DFILES=2 -DLENGTH=4
// explore: bug assertion:@found
// case: repaired
// cflags: -DFILES=2 -DLENGTH=4 -DREPAIRED
// explore: safe
#include <assert.h>
#include <pthread.h>
#include <sched.h>

#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef FILES
#define FILES 32
#endif
#ifndef LENGTH
#define LENGTH 40
#endif
// Room for all: who has only to list files is always ahead.
#define QUEUE FILES

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t more, less;
    int files[QUEUE], first, count, closed;
};

static struct queue queue = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, {0}, 0, 0, 0};
static char files[FILES][LENGTH];
static const char word[] = "ab";
static int results[FILES], found;
#ifdef REPAIRED
static pthread_mutex_t results_lock = PTHREAD_MUTEX_INITIALIZER;
#endif

static void put(int file) {
    pthread_mutex_lock(&queue.lock);
    while (queue.count == QUEUE)
        pthread_cond_wait(&queue.less, &queue.lock);
    queue.files[(queue.first + queue.count++) % QUEUE] = file;
    pthread_cond_signal(&queue.more);
    pthread_mutex_unlock(&queue.lock);
}

// The next file; -1 if there will be none any more.
static int take(void) {
    int file = -1;
    pthread_mutex_lock(&queue.lock);
    while (queue.count == 0 && !queue.closed)
        pthread_cond_wait(&queue.more, &queue.lock);
    if (queue.count > 0) {
        file = queue.files[queue.first];
        queue.first = (queue.first + 1) % QUEUE;
        queue.count--;
        pthread_cond_signal(&queue.less);
    }
    pthread_mutex_unlock(&queue.lock);
    return file;
}

static void close_queue(void) {
    pthread_mutex_lock(&queue.lock);
    queue.closed = 1;
    pthread_cond_broadcast(&queue.more);
    pthread_mutex_unlock(&queue.lock);
}

static int has_word(const char *text) {
    for (int i = 0; i + 2 <= LENGTH; i++)
        if (text[i] == word[0] && text[i + 1] == word[1])
            return 1;
    return 0;
}

static void enter(int file) {
#ifdef REPAIRED
    pthread_mutex_lock(&results_lock);
#endif
    int at = found;
    results[at] = file;
    sched_yield();
    found = at + 1;
#ifdef REPAIRED
    pthread_mutex_unlock(&results_lock);
#endif
}

static void *worker(void *arg) {
    for (int file; (file = take()) >= 0;)
        if (has_word(files[file]))
            enter(file);
    return arg;
}

int main(void) {
    pthread_t workers[WORKERS];
    int expected = 0;
    // Every file has the word, in the middle.
    for (int i = 0; i < FILES; i++) {
        int at = LENGTH / 2 - 1;
        for (int j = 0; j < LENGTH; j++)
            files[i][j] = j == at ? word[0] : j == at + 1 ? word[1] : '.';
        expected++;
    }
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], 0, worker, 0);
    for (int i = 0; i < FILES; i++)
        put(i);
    close_queue();
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], 0);
    assert(found == expected); // @found
    return 0;
}
