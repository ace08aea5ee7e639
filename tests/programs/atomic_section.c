// What stands between begin and end happens at once.
// check: assertion
// case: safe
// cflags: -DWHOLE
// explore: safe
// case: bug
// explore: bug assertion:31
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
int counter;

void *worker(void *arg) {
#ifdef WHOLE
    __VERIFIER_atomic_begin();
#endif
    counter++;
#ifdef WHOLE
    __VERIFIER_atomic_end();
#endif
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 2);
    return 0;
}
