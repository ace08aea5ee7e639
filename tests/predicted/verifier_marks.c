// Marks by the names that other verifiers have for atomic sections. Where regions are marked they say what is meant to be atomic, and
// make nothing so; otherwise nobody can come between.
//
// The run: the region (0.1), then the other thread (0.2).
// only: atomicity
// case: marked
// regions: marked
// predict: atomicity:@first-@remote-@second
// violations: 1
// case: sections
// predict: none
// violations: 0
#include <pthread.h>
#include <stdatomic.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static atomic_int x;

static void *region(void *arg) {
    (void)arg;
    __VERIFIER_atomic_begin();
    int seen = atomic_load(&x);  // @first
    atomic_store(&x, seen + 1);  // @second
    __VERIFIER_atomic_end();
    return 0;
}

static void *other(void *arg) {
    (void)arg;
    atomic_store(&x, 5);  // @remote
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, region, 0);
    pthread_create(&two, 0, other, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
