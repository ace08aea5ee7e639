// A spin lock by compare-and-swap: T threads acquire and release it up to K times, how often is each thread's input.
//
// Memory models: the exchange that acquires is a full fence. The release is a store. With release order nothing that was
// written inside can come after it: the lock holds under TSO and PSO. With relaxed order it still holds under TSO, where
// stores reach memory in order, and breaks under PSO, where the lock can be seen as free before the count is written.
// check: assertion,hang
// case: spinlock1
// cflags: -DT=2 -DK=5
// explore: safe
// case: spinlock2
// cflags: -DT=3 -DK=3
// explore: safe
// case: small
// cflags: -DT=2 -DK=2
// explore: safe
// case: bug
// cflags: -DT=2 -DK=5 -DBUG
// explore: bug assertion:@count
// case: tso
// cflags: -DT=2 -DK=2
// memory: tso
// explore: safe
// case: pso
// cflags: -DT=2 -DK=2
// memory: pso
// explore: safe
// case: relaxed-tso
// cflags: -DT=2 -DK=2 -DRELAXED
// memory: tso
// explore: safe
// case: relaxed-pso
// cflags: -DT=2 -DK=2 -DRELAXED
// memory: pso
// explore: bug assertion:@count
#include <assert.h>
#include <ordain.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef RELAXED
#define RELEASE memory_order_relaxed
#else
#define RELEASE memory_order_release
#endif

static atomic_int locked;
static int count;

static void acquire(void) {
#ifdef BUG
    // Looks and takes in two steps.
    while (atomic_load(&locked)) {
    }
    atomic_store(&locked, 1);
#else
    int free_value = 0;
    while (!atomic_compare_exchange_strong(&locked, &free_value, 1))
        free_value = 0;
#endif
}

static void release(void) {
    atomic_store_explicit(&locked, 0, RELEASE);
}

static int rounds[T];

static void *worker(void *arg) {
    int n = rounds[(long)arg];
    for (int i = 0; i < n; i++) {
        acquire();
        count++;
        release();
    }
    return 0;
}

int main(void) {
    pthread_t threads[T];
    int sum = 0;
    for (long i = 0; i < T; i++) {
        ordain_input(&rounds[i], sizeof rounds[i], "rounds");
        ordain_assume(0 <= rounds[i] && rounds[i] <= K);
    }
    for (long i = 0; i < T; i++)
        pthread_create(&threads[i], 0, worker, (void *)i);
    for (int i = 0; i < T; i++) {
        pthread_join(threads[i], 0);
        sum += rounds[i];
    }
    assert(count == sum); // @count
    return 0;
}
