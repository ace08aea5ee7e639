// Whoever pops frees; another popper may still be looking at what was freed.
// case: bug
// cflags: -DPOPPERS=2
// check: use-after-free,double-free,null
// explore: bug use-after-free:@exchange
// case: safe
// cflags: -DPOPPERS=1
// explore: safe
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    struct node *next;
};

_Atomic(struct node *) top;

void *popper(void *arg) {
    struct node *seen = top;
    while (seen && !atomic_compare_exchange_strong(&top, &seen, seen->next)) { // @exchange
    }
    free(seen);
    return 0;
}

int main(void) {
    pthread_t poppers[POPPERS];
    for (int i = 0; i < 2; i++) {
        struct node *node = malloc(sizeof *node);
        node->next = top;
        top = node;
    }
    for (int i = 0; i < POPPERS; i++)
        pthread_create(&poppers[i], 0, popper, 0);
    for (int i = 0; i < POPPERS; i++)
        pthread_join(poppers[i], 0);
    return 0;
}
