// The queue of Michael and Scott without locks. One of T = 2 threads enqueues K inputs, the other tries K times to dequeue.
// Nodes are not freed while the threads run (memory would have to be reclaimed by other means).
//
// Memory models: a node is linked in by compare-and-swap, a full fence, after its value was written: the queue holds under
// TSO and PSO. -DPLAIN_LINK links it by a relaxed store (there is one enqueuer only): still right under TSO; under PSO the
// link can be seen before the value.
// case: msqueue
// cflags: -DK=5
// explore: safe
// case: small
// cflags: -DK=2
// explore: safe
// case: bug
// cflags: -DK=5 -DBUG
// check: assertion
// explore: bug assertion:@order
// case: tso
// cflags: -DK=2
// check: assertion,null
// memory: tso
// explore: safe
// case: pso
// cflags: -DK=1
// check: assertion,null
// memory: pso
// explore: safe
// case: plain-link-tso
// cflags: -DK=1 -DPLAIN_LINK
// check: assertion,null
// memory: tso
// explore: safe
// case: plain-link-pso
// cflags: -DK=1 -DPLAIN_LINK
// check: assertion
// memory: pso
// explore: bug assertion:@order
#include <assert.h>
#include <ordain.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    int value;
    _Atomic(struct node *) next;
};

static struct node nodes[K + 1];
static _Atomic(struct node *) head = &nodes[0], tail = &nodes[0];

static void enqueue(struct node *node, int value) {
#ifndef BUG
    node->value = value;
#endif
    for (;;) {
        struct node *last = atomic_load(&tail), *next = atomic_load(&last->next);
        if (next) {
            // Somebody is in the middle of it: help.
            atomic_compare_exchange_strong(&tail, &last, next);
            continue;
        }
#ifdef PLAIN_LINK
        atomic_store_explicit(&last->next, node, memory_order_relaxed);
#else
        if (!atomic_compare_exchange_strong(&last->next, &next, node))
            continue;
#endif
        atomic_compare_exchange_strong(&tail, &last, node);
        break;
    }
#ifdef BUG
    node->value = value;
#endif
}

static int dequeue(int *value) {
    for (;;) {
        struct node *first = atomic_load(&head), *last = atomic_load(&tail), *next = atomic_load(&first->next);
        if (first == last) {
            if (!next)
                return 0;
            atomic_compare_exchange_strong(&tail, &last, next);
            continue;
        }
        *value = next->value;
        if (atomic_compare_exchange_strong(&head, &first, next))
            return 1;
    }
}

static void *producer(void *arg) {
    for (int i = 1; i <= K; i++) {
        int value;
        ordain_input(&value, sizeof value, "value");
        ordain_assume(value > 0);
        enqueue(&nodes[i], value);
    }
    return 0;
}

static void *consumer(void *arg) {
    for (int i = 0; i < K; i++) {
        int value = 0;
        if (dequeue(&value))
            assert(value > 0); // @order
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, producer, 0);
    pthread_create(&b, 0, consumer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
