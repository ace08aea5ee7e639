// The queue lock of Craig, Landin and Hagersten: everyone spins on the node of the one before. The faulty one announces its
// own node before it has marked it as busy.
// case: safe
// cflags: -DN=2
// explore: safe
// case: safe-three
// cflags: -DN=3
// explore: safe
// case: bug
// check: assertion
// cflags: -DN=2 -DLATE_MARK
// explore: bug assertion:@alone
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node {
    atomic_int busy;
};

struct node nodes[N + 1];
_Atomic(struct node *) tail = &nodes[N];
int inside;

void *worker(void *arg) {
    struct node *mine = arg;
#ifndef LATE_MARK
    mine->busy = 1;
#endif
    struct node *before = atomic_exchange(&tail, mine);
#ifdef LATE_MARK
    mine->busy = 1;
#endif
    while (before->busy) {
    }
    inside++;
    assert(inside == 1); // @alone
    inside--;
    mine->busy = 0;
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, worker, &nodes[i]);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
