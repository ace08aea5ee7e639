// Two threads each put a fresh object in the place of the old one, which they free.
//
// The run: the first (0.1) frees main's object, the second (0.2) the first's; main frees what is left.
// - read-then-write: both may find main's object.
// - exchange: each takes out what it frees.
// only: double-free
// case: read-then-write
// predict: double-free:@free
// case: exchange
// cflags: -DEXCHANGE
// predict: none
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

char *_Atomic current;

void *replace(void *arg) {
    char *fresh = malloc(8);
#ifdef EXCHANGE
    char *old = atomic_exchange(&current, fresh);
#else
    char *old = atomic_load(&current);
    atomic_store(&current, fresh);
#endif
    free(old); // @free
    return arg;
}

int main(void) {
    pthread_t t1, t2;
    atomic_store(&current, malloc(8));
    pthread_create(&t1, 0, replace, 0);
    pthread_create(&t2, 0, replace, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    free(atomic_load(&current));
    return 0;
}
