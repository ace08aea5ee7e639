// The last to let go frees. The faulty one subtracts, and looks at the count only then: two may both find it at zero.
// case: safe
// cflags: -DN=2
// explore: safe
// case: safe-three
// cflags: -DN=3
// explore: safe
// case: bug
// cflags: -DN=2 -DTWO_STEPS
// explore: bug use-after-free:@look double-free:@free
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct shared {
    atomic_int owners;
    int value;
};

void release(struct shared *it) {
#ifdef TWO_STEPS
    atomic_fetch_sub(&it->owners, 1);
    if (atomic_load(&it->owners) == 0) // @look
        free(it); // @free
#else
    if (atomic_fetch_sub(&it->owners, 1) == 1)
        free(it);
#endif
}

void *owner(void *arg) {
    struct shared *it = arg;
    int copy = it->value;
    (void)copy;
    release(it);
    return 0;
}

int main(void) {
    struct shared *it = malloc(sizeof *it);
    it->owners = N;
    it->value = 7;
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, owner, it);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
