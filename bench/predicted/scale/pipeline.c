// A pipeline: one thread makes blocks, workers take their checksums, and one adds those up in the order of the blocks. Between them are
// bounded queues under a lock, with a condition for "not full" and one for "not empty"; blocks come back to their maker by a third queue.
//
// For how the time of a prediction grows with the length of the run. ITEMS blocks go through it.
// The bug: a worker looks without the lock whether its checksum is the largest so far, and does not look again when it has it. That is a
// race, and a larger one that came between is forgotten. The program ends well all the same: nobody depends on the largest.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef ITEMS
#define ITEMS 100
#endif
#ifndef WORKERS
#define WORKERS 2
#endif
#define SLOTS 4
// More than fit into the queues, so that the maker has to wait for the others as well.
#define BLOCKS (2 * SLOTS + WORKERS)
#define WORDS 16

struct block {
    uint32_t number, checksum;
    uint32_t words[WORDS];
};

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t not_full, not_empty;
    struct block *slots[BLOCKS];
    unsigned first, count, size;
};

static struct queue idle, made, checked;
static struct block blocks[BLOCKS];
static pthread_mutex_t largest_lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t largest;
static uint64_t sum;

static void init(struct queue *queue, unsigned size) {
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->not_full, NULL);
    pthread_cond_init(&queue->not_empty, NULL);
    queue->size = size;
}

static void put(struct queue *queue, struct block *block) {
    pthread_mutex_lock(&queue->lock);
    while (queue->count == queue->size)
        pthread_cond_wait(&queue->not_full, &queue->lock);
    queue->slots[(queue->first + queue->count++) % queue->size] = block;
    pthread_cond_signal(&queue->not_empty);
    pthread_mutex_unlock(&queue->lock);
}

static struct block *take(struct queue *queue) {
    pthread_mutex_lock(&queue->lock);
    while (queue->count == 0)
        pthread_cond_wait(&queue->not_empty, &queue->lock);
    struct block *block = queue->slots[queue->first];
    queue->first = (queue->first + 1) % queue->size;
    queue->count--;
    pthread_cond_signal(&queue->not_full);
    pthread_mutex_unlock(&queue->lock);
    return block;
}

static void *make(void *arg) {
    uint32_t state = 2463534242u;
    for (uint32_t number = 0; number < ITEMS; number++) {
        struct block *block = take(&idle);
        block->number = number;
        for (int i = 0; i < WORDS; i++) {
            state = state * 1664525u + 1013904223u;
            block->words[i] = state;
        }
        put(&made, block);
    }
    // No block: a worker's sign to go home.
    for (int i = 0; i < WORKERS; i++)
        put(&made, NULL);
    return arg;
}

static void *check(void *arg) {
    for (struct block *block; (block = take(&made));) {
        uint32_t checksum = 1;
        for (int i = 0; i < WORDS; i++)
            checksum = checksum * 31 + block->words[i];
        block->checksum = checksum;
        if (checksum > largest) { // @look
            pthread_mutex_lock(&largest_lock);
            largest = checksum; // @forget
            pthread_mutex_unlock(&largest_lock);
        }
        put(&checked, block);
    }
    return arg;
}

// Blocks arrive as the workers are done with them; those that are early wait here.
static void *add(void *arg) {
    uint32_t waiting[BLOCKS];
    int is_here[BLOCKS] = {0};
    for (uint32_t next = 0, taken = 0; taken < ITEMS; taken++) {
        struct block *block = take(&checked);
        waiting[block->number % BLOCKS] = block->checksum;
        is_here[block->number % BLOCKS] = 1;
        for (; is_here[next % BLOCKS]; next++) {
            sum = sum * 31 + waiting[next % BLOCKS];
            is_here[next % BLOCKS] = 0;
        }
        // A place that is needed again has been read: its block is BLOCKS further, and there are no more than BLOCKS under way.
        put(&idle, block);
    }
    return arg;
}

int main(void) {
    init(&idle, BLOCKS);
    init(&made, SLOTS);
    init(&checked, SLOTS);
    for (int i = 0; i < BLOCKS; i++)
        put(&idle, &blocks[i]);
    pthread_t maker, adder, workers[WORKERS];
    pthread_create(&maker, NULL, make, NULL);
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, check, NULL);
    pthread_create(&adder, NULL, add, NULL);
    pthread_join(maker, NULL);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    pthread_join(adder, NULL);
    printf("%llu, largest %u\n", (unsigned long long)sum, largest);
    return 0;
}
