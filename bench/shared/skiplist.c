// Pointers that threads share: a skip list under a read-write lock. Most of the time threads look keys up, now and then they insert
// one.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef ROUNDS
#define ROUNDS 250000
#endif
#define LEVELS 12
#define KEYS 20000

struct node {
    uint32_t key;
    struct node *next[LEVELS];
};

static struct node head;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static uint64_t found[THREADS];

static struct node *search(uint32_t key, struct node *before[LEVELS]) {
    struct node *at = &head;
    for (int level = LEVELS - 1; level >= 0; level--) {
        while (at->next[level] && at->next[level]->key < key)
            at = at->next[level];
        before[level] = at;
    }
    return at->next[0];
}

static void insert(uint32_t key, uint32_t chance) {
    struct node *before[LEVELS];
    struct node *at = search(key, before);
    if (at && at->key == key)
        return;
    struct node *node = calloc(1, sizeof *node);
    node->key = key;
    for (int level = 0; level < LEVELS; level++) {
        node->next[level] = before[level]->next[level];
        before[level]->next[level] = node;
        if (chance >> level & 1)
            break;
    }
}

static void *work(void *arg) {
    uint32_t state = 99u + (uint32_t)(uintptr_t)arg;
    uint64_t count = 0;
    struct node *before[LEVELS];
    for (int i = 0; i < ROUNDS; i++) {
        state = state * 1664525u + 1013904223u;
        uint32_t key = (state >> 8) % KEYS;
        if (i % 16 == 0) {
            pthread_rwlock_wrlock(&lock);
            insert(key, state >> 4);
        } else {
            pthread_rwlock_rdlock(&lock);
            struct node *at = search(key, before);
            count += at && at->key == key;
        }
        pthread_rwlock_unlock(&lock);
    }
    found[(uintptr_t)arg] = count;
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    uint64_t sum = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        sum += found[i];
    }
    printf("%d\n", sum > 0);
    return 0;
}
