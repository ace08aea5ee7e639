// A flag that is up for a while can be missed by who spins on it.
//
// The run: main raises the flag and waits for another thread (0.2); before that one, the one that spins (0.1) finds the flag up;
// main lowers it.
// - lowered: it may be down again when 0.1 looks for the first time.
// - joined: main lowers it when 0.1 has ended.
// only: deadlock,hang
// case: lowered
// predict: hang:@spin
// case: joined
// cflags: -DJOINED
// predict: none
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag, work;

void *spins(void *arg) {
    while (!atomic_load(&flag)) { // @spin
    }
    return arg;
}

void *other(void *arg) {
    atomic_fetch_add(&work, 1);
    return arg;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, spins, 0);
    pthread_create(&t2, 0, other, 0);
    atomic_store(&flag, 1);
#ifdef JOINED
    pthread_join(t1, 0);
#endif
    pthread_join(t2, 0);
    atomic_store(&flag, 0);
#ifndef JOINED
    pthread_join(t1, 0);
#endif
    return 0;
}
