// A sequence lock: the number is odd while somebody writes, and who reads looks at it before and after. One of T threads
// writes inputs, K times; the others try K times to read. The data are relaxed atomics, as a sequence lock needs them to be.
//
// Memory models: the number is made odd by a compare-and-swap, a full fence, so data cannot come before it. It is made
// even by a release store: data cannot come after it, under TSO and PSO. Loads are not reordered in either. With a relaxed
// store, TSO keeps the order, and PSO lets a reader find the number even while half of the data is still in the buffer.
// check: assertion
// case: seqlock
// cflags: -DT=3 -DK=3
// explore: safe
// case: small
// cflags: -DT=2 -DK=2
// explore: safe
// case: bug
// cflags: -DT=3 -DK=3 -DBUG
// explore: bug assertion:@equal
// case: tso
// cflags: -DT=2 -DK=2
// memory: tso
// explore: safe
// case: pso
// cflags: -DT=2 -DK=1
// memory: pso
// explore: safe
// case: relaxed-tso
// cflags: -DT=2 -DK=2 -DRELAXED
// memory: tso
// explore: safe
// case: relaxed-pso
// cflags: -DT=2 -DK=2 -DRELAXED
// memory: pso
// explore: bug assertion:@equal
#include <assert.h>
#include <ordain.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef RELAXED
#define RELEASE memory_order_relaxed
#else
#define RELEASE memory_order_release
#endif
#define SET(v, n) atomic_store_explicit(&v, n, memory_order_relaxed)
#define GET(v) atomic_load_explicit(&v, memory_order_relaxed)

static atomic_uint number;
static atomic_int low, high;

static void write_both(int value) {
    unsigned before = atomic_load(&number);
    // There is one writer, so that the number is even and the exchange succeeds.
    atomic_compare_exchange_strong(&number, &before, before + 1);
    SET(low, value);
    SET(high, -value);
    atomic_store_explicit(&number, before + 2, RELEASE);
}

static int try_read(int *a, int *b) {
    unsigned before = atomic_load(&number);
#ifndef BUG
    if (before & 1)
        return 0;
#endif
    *a = GET(low);
    *b = GET(high);
    return atomic_load(&number) == before;
}

static void *writer(void *arg) {
    for (int i = 0; i < K; i++) {
        int value;
        ordain_input(&value, sizeof value, "value");
        ordain_assume(-1000000 < value && value < 1000000);
        write_both(value);
    }
    return 0;
}

static void *reader(void *arg) {
    for (int i = 0; i < K; i++) {
        int a, b;
        if (try_read(&a, &b))
            assert(a + b == 0); // @equal
    }
    return 0;
}

int main(void) {
    pthread_t threads[T];
    for (int i = 0; i < T; i++)
        pthread_create(&threads[i], 0, i == 0 ? writer : reader, 0);
    for (int i = 0; i < T; i++)
        pthread_join(threads[i], 0);
    return 0;
}
