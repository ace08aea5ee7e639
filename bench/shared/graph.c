// Pointers that threads share: a graph, every node of which is taken by one thread. A thread takes a node from its stack, tries to
// mark its neighbours by compare-and-swap, and pushes those that it got. Nodes that are left over are roots.
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef NODES
#define NODES 600000
#endif
#define EDGES 6

struct node {
    struct node *neighbours[EDGES];
    struct node *below;
    atomic_int owner;
    int weight;
};

static struct node *nodes;
static atomic_int next_root;
static uint64_t sums[THREADS];

static int take(struct node *node, int me) {
    int nobody = 0;
    return atomic_load_explicit(&node->owner, memory_order_relaxed) == 0 &&
           atomic_compare_exchange_strong(&node->owner, &nobody, me);
}

static void *work(void *arg) {
    int me = (int)(uintptr_t)arg + 1;
    uint64_t sum = 0;
    for (int root; (root = atomic_fetch_add(&next_root, 1)) < NODES;) {
        struct node *stack = &nodes[root];
        if (!take(stack, me))
            continue;
        stack->below = NULL;
        while (stack) {
            struct node *node = stack;
            stack = node->below;
            sum += node->weight;
            for (int i = 0; i < EDGES; i++) {
                struct node *next = node->neighbours[i];
                if (take(next, me)) {
                    next->below = stack;
                    stack = next;
                }
            }
        }
    }
    sums[me - 1] = sum;
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    uint32_t state = 1;
    nodes = malloc(NODES * sizeof *nodes);
    for (int i = 0; i < NODES; i++) {
        for (int j = 0; j < EDGES; j++) {
            state = state * 1664525u + 1013904223u;
            nodes[i].neighbours[j] = &nodes[(state >> 8) % NODES];
        }
        nodes[i].below = NULL;
        atomic_init(&nodes[i].owner, 0);
        nodes[i].weight = i % 7;
    }
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    uint64_t sum = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        sum += sums[i];
    }
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
