// The reader-writer lock of Linux in one word: a reader takes 1 from it, a writer takes all. T threads try K times to get it,
// as readers or as writers: an input says which.
//
// Memory models: every change is an atomic read-modify-write, a full fence. Under TSO and PSO nothing changes.
// -DPLAIN_UNLOCK lets the writer give everything back by a plain store, as if nobody had tried in the meantime: a reader
// that failed and has not yet put back its 1 makes the count too large, under every memory model.
// case: linuxrwlock
// cflags: -DT=2 -DK=5
// explore: safe
// case: small
// cflags: -DT=2 -DK=2
// explore: safe
// case: three
// cflags: -DT=3 -DK=1
// explore: safe
// case: bug
// cflags: -DT=2 -DK=5 -DBUG
// check: assertion
// explore: bug assertion:@equal
// case: plain-unlock
// cflags: -DT=3 -DK=2 -DPLAIN_UNLOCK
// check: assertion
// explore: bug assertion:@equal
// case: tso
// cflags: -DT=2 -DK=2
// check: assertion
// memory: tso
// explore: safe
// case: pso
// cflags: -DT=2 -DK=2
// check: assertion
// memory: pso
// explore: safe
// case: bug-tso
// cflags: -DT=2 -DK=2 -DBUG
// check: assertion
// memory: tso
// explore: bug assertion:@equal
// case: bug-pso
// cflags: -DT=2 -DK=2 -DBUG
// check: assertion
// memory: pso
// explore: bug assertion:@equal
#include <assert.h>
#include <ordain.h>
#include <pthread.h>
#include <stdatomic.h>

#define BIAS 0x00100000
static atomic_int word = BIAS;
static int low, high;

static int try_read(void) {
    if (atomic_fetch_sub(&word, 1) > 0)
        return 1;
    atomic_fetch_add(&word, 1);
    return 0;
}

static void read_unlock(void) {
    atomic_fetch_add(&word, 1);
}

static int try_write(void) {
#ifdef BUG
    // Readers are not counted as a reason to stay out.
    if (atomic_fetch_sub(&word, BIAS) > 0)
#else
    if (atomic_fetch_sub(&word, BIAS) == BIAS)
#endif
        return 1;
    atomic_fetch_add(&word, BIAS);
    return 0;
}

static void write_unlock(void) {
#ifdef PLAIN_UNLOCK
    atomic_store(&word, BIAS);
#else
    atomic_fetch_add(&word, BIAS);
#endif
}

static void *worker(void *arg) {
    unsigned char writes;
    ordain_input(&writes, sizeof writes, "writes");
    for (int i = 0; i < K; i++)
        if (writes) {
            if (try_write()) {
                low++;
                high++;
                write_unlock();
            }
        } else if (try_read()) {
            assert(low == high); // @equal
            read_unlock();
        }
    return 0;
}

int main(void) {
    pthread_t threads[T];
    for (int i = 0; i < T; i++)
        pthread_create(&threads[i], 0, worker, 0);
    for (int i = 0; i < T; i++)
        pthread_join(threads[i], 0);
    return 0;
}
