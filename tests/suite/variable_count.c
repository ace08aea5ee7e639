// As many threads' worth of additions as an input says: the sum is at most that, and less only if one is overwritten.
// case: safe
// cflags: -DMOST=2 -DLOCKED
// explore: safe
// case: safe-4
// cflags: -DMOST=4 -DLOCKED
// explore: safe
// case: bug
// cflags: -DMOST=2
// check: assertion
// explore: bug assertion:@sum
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int condition);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int n, sum;

void *adder(void *arg) {
    for (int i = 0; i < n; i++) {
#ifdef LOCKED
        pthread_mutex_lock(&lock);
        sum++;
        pthread_mutex_unlock(&lock);
#else
        sum++;
#endif
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    n = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= n && n <= MOST);
    pthread_create(&a, 0, adder, 0);
    pthread_create(&b, 0, adder, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(sum == 2 * n); // @sum
    return 0;
}
