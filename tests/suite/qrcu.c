// Readers count themselves in one of two counters; who updates switches to the other and waits until the old one is empty.
// The faulty one does not wait.
// case: safe
// cflags: -DREADERS=1
// explore: safe
// case: safe-two
// cflags: -DREADERS=2
// explore: safe
// case: bug
// cflags: -DREADERS=1 -DNO_WAIT
// check: assertion
// explore: bug assertion:@grace
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int current, counter[2] = {1, 0};
atomic_int old_gone;

void *reader(void *arg) {
    int mine;
    // A counter that is zero is not in use any more.
    for (;;) {
        mine = current;
        int seen = counter[mine];
        if (seen > 0 && atomic_compare_exchange_strong(&counter[mine], &seen, seen + 1))
            break;
    }
    // Whoever counts in the old counter is waited for.
    assert(mine == 1 || !old_gone); // @grace
    atomic_fetch_sub(&counter[mine], 1);
    return 0;
}

void *updater(void *arg) {
    int old = current;
    atomic_fetch_add(&counter[1 - old], 1);
    current = 1 - old;
    atomic_fetch_sub(&counter[old], 1);
#ifndef NO_WAIT
    while (counter[old] != 0) {
    }
#endif
    old_gone = 1;
    return 0;
}

int main(void) {
    pthread_t u, readers[READERS];
    pthread_create(&u, 0, updater, 0);
    for (int i = 0; i < READERS; i++)
        pthread_create(&readers[i], 0, reader, 0);
    pthread_join(u, 0);
    for (int i = 0; i < READERS; i++)
        pthread_join(readers[i], 0);
    return 0;
}
