// pbzip2, a compressor: main reads a text in blocks and puts them into a queue, consumers compress them, one thread writes
// them in their order. When all blocks are written, main tears the queue down.
//
// The bug: that all blocks are written does not mean that all consumers are gone. One that comes back to see whether there
// is more finds the queue without its mutex, and crashes; the same can happen where it lets go of the mutex. Or it still has
// a pointer to the mutex, which is freed.
// CLAP needed 2 preemptive switches, with 4 threads and 65 shared accesses.
// check: assertion,null,use-after-free,lock-misuse
// spurious: off
// recorded: null
// preemptions: 2
// case: bug
// cflags: -DCONSUMERS=1 -DBLOCKS=1
// explore: bug null:@again use-after-free:@again use-after-free:@wait null:@leave lock-misuse:@destroy
// case: repaired
// cflags: -DCONSUMERS=1 -DBLOCKS=1 -DREPAIRED
// explore: safe
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef CONSUMERS
#define CONSUMERS 2
#endif
#ifndef BLOCKS
#define BLOCKS 1
#endif
#ifndef BLOCK
#define BLOCK 8
#endif
// How long it takes until the queue is torn down, in microseconds. Consumers are about other things for twice as long.
#ifndef PAUSE
#define PAUSE 300
#endif
#define QUEUE 2

struct queue {
    pthread_mutex_t *mutex;
    pthread_cond_t not_empty, not_full;
    int blocks[QUEUE], first, count;
};

// A compressed block: its length, once it is there.
struct output {
    unsigned char bytes[2 * BLOCK];
    int length;
};

static char text[BLOCKS * BLOCK];
static struct queue *queue;
static int all_read;

static pthread_mutex_t output_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t output_ready = PTHREAD_COND_INITIALIZER;
static struct output outputs[BLOCKS];
static int written;

static struct queue *make_queue(void) {
    struct queue *q = malloc(sizeof *q);
    q->mutex = malloc(sizeof *q->mutex);
    pthread_mutex_init(q->mutex, 0);
    pthread_cond_init(&q->not_empty, 0);
    pthread_cond_init(&q->not_full, 0);
    q->first = q->count = 0;
    return q;
}

static void tear_down(struct queue *q) {
    pthread_mutex_t *mutex = q->mutex;
    q->mutex = NULL;
    pthread_mutex_destroy(mutex); // @destroy
    free(mutex);
}

static void put(struct queue *q, int block) {
    pthread_mutex_lock(q->mutex);
    while (q->count == QUEUE)
        pthread_cond_wait(&q->not_full, q->mutex);
    q->blocks[(q->first + q->count++) % QUEUE] = block;
    pthread_cond_signal(&q->not_empty);
    pthread_mutex_unlock(q->mutex);
}

// Lengths of runs and their bytes.
static int compress(const char *from, unsigned char *to) {
    int length = 0;
    for (int i = 0; i < BLOCK;) {
        int run = 1;
        while (i + run < BLOCK && from[i + run] == from[i])
            run++;
        to[length++] = (unsigned char)run;
        to[length++] = (unsigned char)from[i];
        i += run;
    }
    return length;
}

static void *consumer(void *arg) {
    unsigned char packed[2 * BLOCK];
    for (;;) {
        pthread_mutex_lock(queue->mutex); // @again
        while (queue->count == 0 && !all_read)
            pthread_cond_wait(&queue->not_empty, queue->mutex); // @wait
        if (queue->count == 0) {
            pthread_mutex_unlock(queue->mutex); // @leave
            return arg;
        }
        int block = queue->blocks[queue->first];
        queue->first = (queue->first + 1) % QUEUE;
        queue->count--;
        pthread_cond_signal(&queue->not_full);
        pthread_mutex_unlock(queue->mutex);

        int length = compress(text + block * BLOCK, packed);
        pthread_mutex_lock(&output_lock);
        memcpy(outputs[block].bytes, packed, sizeof packed);
        outputs[block].length = length;
        pthread_cond_signal(&output_ready);
        pthread_mutex_unlock(&output_lock);
        if (PAUSE > 0)
            usleep(2 * PAUSE);
    }
}

static void *writer(void *arg) {
    for (int block = 0; block < BLOCKS; block++) {
        pthread_mutex_lock(&output_lock);
        while (outputs[block].length == 0)
            pthread_cond_wait(&output_ready, &output_lock);
        written += outputs[block].length;
        pthread_mutex_unlock(&output_lock);
    }
    return arg;
}

int main(void) {
    pthread_t consumers[CONSUMERS], output;
    for (int i = 0; i < BLOCKS * BLOCK; i++)
        text[i] = "aab"[i % BLOCK / 2 % 3];
    queue = make_queue();
    for (int i = 0; i < CONSUMERS; i++)
        pthread_create(&consumers[i], 0, consumer, 0);
    pthread_create(&output, 0, writer, 0);
    for (int block = 0; block < BLOCKS; block++)
        put(queue, block);
    pthread_mutex_lock(queue->mutex);
    all_read = 1;
    pthread_cond_broadcast(&queue->not_empty);
    pthread_mutex_unlock(queue->mutex);
    pthread_join(output, 0);
#ifdef REPAIRED
    for (int i = 0; i < CONSUMERS; i++)
        pthread_join(consumers[i], 0);
#endif
    usleep(PAUSE);
    tear_down(queue);
#ifndef REPAIRED
    for (int i = 0; i < CONSUMERS; i++)
        pthread_join(consumers[i], 0);
#endif
    assert(written > 0);
    return 0;
}
