// A stack without locks. Two pushers and two poppers share it, nothing is freed. The faulty pop writes the new top without
// looking whether it still is what it was.
// case: safe
// cflags: -DPUSHERS=1 -DPOPPERS=1
// explore: safe
// case: safe-more
// cflags: -DPUSHERS=2 -DPOPPERS=1
// explore: safe
// case: bug
// cflags: -DPUSHERS=1 -DPOPPERS=2 -DPLAIN_POP
// check: assertion
// explore: bug assertion:@once
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    struct node *next;
    atomic_int taken;
};

_Atomic(struct node *) top;
struct node nodes[PUSHERS];

void push(struct node *node) {
    struct node *seen = top;
    do
        node->next = seen;
    while (!atomic_compare_exchange_weak(&top, &seen, node));
}

struct node *pop(void) {
    struct node *seen = top;
#ifdef PLAIN_POP
    if (seen)
        top = seen->next;
#else
    while (seen && !atomic_compare_exchange_weak(&top, &seen, seen->next)) {
    }
#endif
    return seen;
}

void *pusher(void *arg) {
    push(arg);
    return 0;
}

void *popper(void *arg) {
    struct node *node = pop();
    if (node)
        assert(atomic_fetch_add(&node->taken, 1) == 0); // @once
    return 0;
}

int main(void) {
    pthread_t threads[PUSHERS + POPPERS];
    for (int i = 0; i < PUSHERS; i++)
        pthread_create(&threads[i], 0, pusher, &nodes[i]);
    for (int i = 0; i < POPPERS; i++)
        pthread_create(&threads[PUSHERS + i], 0, popper, 0);
    for (int i = 0; i < PUSHERS + POPPERS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
