// Executions in which an assumption does not hold do not count.
// explore: safe
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
int limit;

void *worker(void *arg) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n >= 0 && n < limit);
    assert(n < 10);
    return 0;
}

int main(void) {
    limit = __VERIFIER_nondet_int();
    __VERIFIER_assume(limit <= 10);
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    return 0;
}
