// A thread that ends inside an atomic section has no meaning: no verdict, rather than a guess.
// explore: unknown
// reason: a thread ends inside an atomic section
#include <assert.h>
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
int x;

void *worker(void *arg) {
    __VERIFIER_atomic_begin();
    x = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    assert(x == 2);
    return 0;
}
