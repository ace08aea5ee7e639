// Who looks from outside sees all of an atomic section or nothing of it.
// check: assertion
// explore: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
_Atomic int x, y;

void *writer(void *arg) {
    __VERIFIER_atomic_begin();
    x = 1;
    y = 1;
    x = 2;
    __VERIFIER_atomic_end();
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    int seen = x, then = y;
    assert(seen == 0 || seen == 2);
    assert(seen == 0 || then == 1);
    pthread_join(t, 0);
    return 0;
}
