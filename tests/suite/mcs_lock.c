// The queue lock of Mellor-Crummey and Scott. In the faulty release, whoever sees no successor just leaves: one who is
// about to line up behind it then waits for ever.
// case: safe
// cflags: -DN=2
// explore: safe
// case: safe-three
// cflags: -DN=3
// explore: safe
// case: bug
// check: assertion,hang
// cflags: -DN=2 -DNO_HANDOVER
// explore: bug hang:@waits
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct waiter {
    _Atomic(struct waiter *) next;
    atomic_int waits;
};

_Atomic(struct waiter *) tail;
int inside;

void acquire(struct waiter *me) {
    me->next = NULL;
    me->waits = 1;
    struct waiter *before = atomic_exchange(&tail, me);
    if (before) {
        before->next = me;
        while (me->waits) { // @waits
        }
    }
}

void release(struct waiter *me) {
    if (!me->next) {
        struct waiter *expected = me;
        if (atomic_compare_exchange_strong(&tail, &expected, NULL))
            return;
#ifdef NO_HANDOVER
        return;
#endif
        while (!me->next) {
        }
    }
    struct waiter *successor = me->next;
    successor->waits = 0;
}

struct waiter waiters[N];

void *worker(void *arg) {
    struct waiter *me = arg;
    acquire(me);
    inside++;
    assert(inside == 1);
    inside--;
    release(me);
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, worker, &waiters[i]);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
