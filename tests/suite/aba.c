// A stack without locks whose nodes come back: one thread takes two and puts the first back, while another has looked at it
// and its successor. The exchange succeeds, and makes a node the top that is in use. A count beside the top helps.
// case: bug
// check: assertion
// explore: bug assertion:@mine
// case: safe
// cflags: -DCOUNTED
// check: assertion
// explore: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define NODES 3
// The index of a node (0 is none), and the number of changes in the upper half.
atomic_uint top;
atomic_uint next[NODES + 1], users[NODES + 1];

#ifdef COUNTED
#define CHANGE(old) (((old) & 0xffff0000u) + 0x10000u)
#else
#define CHANGE(old) 0u
#endif

unsigned pop(void) {
    unsigned old = top;
    for (;;) {
        unsigned node = old & 0xffffu;
        if (node == 0)
            return 0;
        if (atomic_compare_exchange_strong(&top, &old, next[node] | CHANGE(old)))
            return node;
    }
}

void push(unsigned node) {
    unsigned old = top;
    do
        next[node] = old & 0xffffu;
    while (!atomic_compare_exchange_strong(&top, &old, node | CHANGE(old)));
}

void use(unsigned node) {
    if (node)
        assert(atomic_fetch_add(&users[node], 1) == 0); // @mine
}

void *once(void *arg) {
    use(pop());
    use(pop());
    return 0;
}

void *back_and_forth(void *arg) {
    unsigned first = pop(), second = pop();
    use(second);
    if (first)
        push(first);
    return 0;
}

int main(void) {
    pthread_t a, b;
    for (unsigned node = NODES; node > 0; node--)
        push(node);
    pthread_create(&a, 0, once, 0);
    pthread_create(&b, 0, back_and_forth, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
