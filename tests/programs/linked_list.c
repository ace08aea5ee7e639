// A lock-free stack: push links the new node with a compare and swap.
// explore: safe
// native: same
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};
struct node *_Atomic top;

void *push(void *arg) {
    struct node *n = malloc(sizeof *n);
    n->value = (int)(long)arg;
    n->next = atomic_load(&top);
    while (!atomic_compare_exchange_strong(&top, &n->next, n)) {
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, push, (void *)1);
    pthread_create(&b, 0, push, (void *)2);
    pthread_join(a, 0);
    pthread_join(b, 0);
    struct node *n = atomic_load(&top);
    assert(n->value + n->next->value == 3 && !n->next->next);
    return 0;
}
