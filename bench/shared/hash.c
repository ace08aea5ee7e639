// Pointers that threads share: a hash table with chains of nodes and a lock for every few of them. Threads insert, look up and
// remove keys of their own and of the others.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef ROUNDS
#define ROUNDS 1000000
#endif
#define CHAINS 4096
#define LOCKS 64
#define KEYS 16384

struct node {
    struct node *next;
    uint32_t key, value;
};

static struct node *chains[CHAINS];
static pthread_mutex_t locks[LOCKS];
static uint64_t sums[THREADS];

static struct node **find(uint32_t key) {
    struct node **at = &chains[key * 2654435761u % CHAINS];
    while (*at && (*at)->key != key)
        at = &(*at)->next;
    return at;
}

static void *work(void *arg) {
    uint32_t state = 12345u + (uint32_t)(uintptr_t)arg;
    uint64_t sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
        state = state * 1664525u + 1013904223u;
        uint32_t key = (state >> 8) % KEYS;
        pthread_mutex_t *lock = &locks[key * 2654435761u % CHAINS % LOCKS];
        pthread_mutex_lock(lock);
        struct node **at = find(key), *node = *at;
        switch (state >> 28 & 3) {
        case 0:
            if (!node) {
                node = malloc(sizeof *node);
                node->key = key;
                node->value = 0;
                node->next = NULL;
                *at = node;
            }
            node->value += state >> 20;
            break;
        case 1:
            if (node && node->value & 1) {
                *at = node->next;
                free(node);
            }
            break;
        default:
            if (node)
                sum += node->value;
        }
        pthread_mutex_unlock(lock);
    }
    sums[(uintptr_t)arg] = sum;
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < LOCKS; i++)
        pthread_mutex_init(&locks[i], NULL);
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    uint64_t sum = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        sum += sums[i];
    }
    printf("%d\n", sum > 0);
    return 0;
}
