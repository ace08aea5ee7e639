// Test, then test-and-set. The faulty one takes the test for the set.
// case: safe
// cflags: -DN=2 -DROUNDS=2
// explore: safe
// case: safe-three
// cflags: -DN=3 -DROUNDS=1
// explore: safe
// case: bug
// check: assertion
// cflags: -DN=2 -DROUNDS=1 -DNO_EXCHANGE
// explore: bug assertion:@alone
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int taken;
int inside;

void *worker(void *arg) {
    for (int round = 0; round < ROUNDS; round++) {
#ifdef NO_EXCHANGE
        while (taken) {
        }
        taken = 1;
#else
        do {
            while (taken) {
            }
        } while (atomic_exchange(&taken, 1));
#endif
        inside++;
        assert(inside == 1); // @alone
        inside--;
        taken = 0;
    }
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, worker, 0);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
