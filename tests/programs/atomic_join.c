// A join on one side of a branch inside an atomic section: on the other side nothing has to be waited for.
// explore: bug assertion:32
// check: assertion
#include <assert.h>
#include <ordain.h>
#include <pthread.h>
#include <stdatomic.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

atomic_int flag;

void *worker(void *arg) {
    atomic_store(&flag, 1);
    return 0;
}

int main(void) {
    int x;
    ordain_input(&x, sizeof x, "x");
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    __VERIFIER_atomic_begin();
    if (x == 5)
        pthread_join(t, 0);
    int early = atomic_load(&flag);
    __VERIFIER_atomic_end();
    if (x != 5)
        pthread_join(t, 0);
    if (x == 7)
        assert(early);
    return 0;
}
