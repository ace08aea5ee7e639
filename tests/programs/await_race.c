// What a failing round of an await touches races with what is done long after the thread has left the loop.
// explore: bug race:14-25
#include <ordain.h>
#include <pthread.h>
#include <stdatomic.h>

int x;
atomic_int flag, seen;

void *waits(void *arg) {
    int last = 0;
    while (!flag)
        // A thread that finds the flag set does not come here.
        last = x;
    atomic_store_explicit(&seen, 1, memory_order_relaxed);
    return 0;
}

void *sets(void *arg) {
    int i;
    ordain_input(&i, sizeof i, "i");
    flag = 1;
    while (!atomic_load_explicit(&seen, memory_order_relaxed)) {}
    if (i == 12345)
        x = 1;
    return 0;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, sets, 0);
    pthread_create(&u, 0, waits, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
