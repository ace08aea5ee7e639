// A counter that is increased by compare-and-swap until it works. The faulty one gives up after one try.
// case: safe
// cflags: -DN=2
// explore: safe
// case: safe-three
// cflags: -DN=3
// explore: safe
// case: bug
// cflags: -DN=2 -DONE_TRY
// explore: bug assertion:@all
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_uint value;

void *worker(void *arg) {
    unsigned seen = value;
#ifdef ONE_TRY
    atomic_compare_exchange_strong(&value, &seen, seen + 1);
#else
    while (!atomic_compare_exchange_strong(&value, &seen, seen + 1)) {
    }
#endif
    assert(value > 0);
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, worker, 0);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    assert(value == N); // @all
    return 0;
}
