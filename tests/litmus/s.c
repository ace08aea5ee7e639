// expect: sc=no tso=no pso=yes
// S: the flag is seen, yet a store made after that is overwritten by one from before the flag.
#include <pthread.h>
#include <stdatomic.h>

void reach_error(void);

static _Atomic int x, y;
static int r1;

static void *thread1(void *arg) {
    atomic_store_explicit(&x, 2, memory_order_relaxed);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    return arg;
}

static void *thread2(void *arg) {
    r1 = atomic_load_explicit(&y, memory_order_relaxed);
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    return arg;
}

int main(void) {
    pthread_t t1;
    pthread_t t2;
    pthread_create(&t1, 0, thread1, 0);
    pthread_create(&t2, 0, thread2, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    if (r1 == 1 && atomic_load(&x) == 2) {
        reach_error();
    }
    return 0;
}
