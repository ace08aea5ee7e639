// pfscan, a parallel scanner of files: main puts files into a bounded queue, workers take them out, scan them for a byte and
// count the matches. When there are no more files the queue is closed.
//
// Two bugs: workers add to the number of matches without a lock (one gets lost), and closing the queue is not done under
// its lock, so that a worker that has just found it empty and open goes to sleep and is never woken.
// check: assertion,deadlock,hang
// spurious: off
// case: bug
// explore: bug assertion:@matches deadlock:@sleeps
// case: fixed
// cflags: -DFIXED
// explore: safe
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef FILES
#define FILES 2
#endif
#define QUEUE 2
#define LENGTH 2

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t more, less;
    int items[QUEUE], count, in, out;
    int closed;
};

static struct queue queue = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, {0}, 0, 0, 0, 0};
static unsigned char content[FILES][LENGTH], wanted;
static int matches;
static pthread_mutex_t matches_lock = PTHREAD_MUTEX_INITIALIZER;

static void put(struct queue *q, int item) {
    pthread_mutex_lock(&q->lock);
    while (q->count == QUEUE)
        pthread_cond_wait(&q->less, &q->lock);
    q->items[q->in] = item;
    q->in = (q->in + 1) % QUEUE;
    q->count++;
    pthread_cond_signal(&q->more);
    pthread_mutex_unlock(&q->lock);
}

// Whether there was an item.
static int take(struct queue *q, int *item) {
    pthread_mutex_lock(&q->lock);
    while (q->count == 0 && !q->closed)
        pthread_cond_wait(&q->more, &q->lock); // @sleeps
    int some = q->count > 0;
    if (some) {
        *item = q->items[q->out];
        q->out = (q->out + 1) % QUEUE;
        q->count--;
        pthread_cond_signal(&q->less);
    }
    pthread_mutex_unlock(&q->lock);
    return some;
}

static void close_queue(struct queue *q) {
#ifdef FIXED
    pthread_mutex_lock(&q->lock);
#endif
    q->closed = 1;
    pthread_cond_broadcast(&q->more);
#ifdef FIXED
    pthread_mutex_unlock(&q->lock);
#endif
}

static int scan(const unsigned char *text) {
    for (int i = 0; i < LENGTH; i++)
        if (text[i] == wanted)
            return 1;
    return 0;
}

static void *worker(void *arg) {
    int file;
    while (take(&queue, &file))
        if (scan(content[file])) {
#ifdef FIXED
            pthread_mutex_lock(&matches_lock);
#endif
            matches++;
#ifdef FIXED
            pthread_mutex_unlock(&matches_lock);
#endif
        }
    return 0;
}

int main(void) {
    pthread_t threads[WORKERS];
    int expected = 0;
    ordain_input(&wanted, sizeof wanted, "wanted");
    for (int i = 0; i < FILES; i++) {
        for (int j = 0; j < LENGTH; j++)
            ordain_input(&content[i][j], 1, "content");
        expected += scan(content[i]);
    }
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&threads[i], 0, worker, 0);
    for (int i = 0; i < FILES; i++)
        put(&queue, i);
    close_queue(&queue);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], 0);
    assert(matches == expected); // @matches
    return 0;
}
