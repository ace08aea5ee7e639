// An atomic section inside another is part of it: it ends with the outer one.
// explore: bug assertion:30
#include <assert.h>
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int x;

void *worker(void *arg) {
    __VERIFIER_atomic_begin();
    x = 1;
    __VERIFIER_atomic_begin();
    x = 2;
    __VERIFIER_atomic_end();
    x = 3;
    __VERIFIER_atomic_end();
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    __VERIFIER_atomic_begin();
    __VERIFIER_atomic_begin();
    int seen = x;
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_end();
    assert(seen == 0 || seen == 3);
    assert(seen == 0);
    pthread_join(t, 0);
    return 0;
}
