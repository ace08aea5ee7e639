// What is written before a thread is created, or by a thread that was joined, can be read by a third one that has seen a flag: creation
// and join are links of the chain. Without them there is a race.
// check: race
// case: creation
// explore: safe
// case: join
// cflags: -DJOIN
// explore: safe
// case: neither
// cflags: -DNEITHER
// explore: bug race:33-54
#include <pthread.h>
#include <stdatomic.h>

static int x;
static atomic_int flag;

static void *raises(void *arg) {
    atomic_store_explicit(&flag, 1, memory_order_release);
    return 0;
}

#ifdef JOIN
static void *writes(void *arg) {
    x = 1;
    return 0;
}
#endif

static void *reads(void *arg) {
    while (!atomic_load_explicit(&flag, memory_order_acquire))
        ;
    int seen = x;
    return (void *)(long)seen;
}

int main(void) {
    pthread_t reader, other;
    pthread_create(&reader, 0, reads, 0);
#if defined JOIN
    pthread_create(&other, 0, writes, 0);
    pthread_join(other, 0);
    raises(0);
#elif defined NEITHER
    pthread_create(&other, 0, raises, 0);
    pthread_join(other, 0);
#else
    x = 1;
    pthread_create(&other, 0, raises, 0);
    pthread_join(other, 0);
#endif
#ifdef NEITHER
    // The reader may have seen the flag already.
    x = 1;
#endif
    pthread_join(reader, 0);
    return 0;
}
