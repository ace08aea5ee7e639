// Wrong on hardware that lets stores wait: each thread may miss what the other wrote.
// case: in order
// explore: safe
// assumes: memory is sequentially consistent
// case: stores wait
// memory: tso
// explore: bug assertion:25
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int seen[2];

void *other(void *arg) {
    atomic_store_explicit(&y, 1, memory_order_release);
    seen[1] = atomic_load_explicit(&x, memory_order_acquire);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    atomic_store_explicit(&x, 1, memory_order_release);
    seen[0] = atomic_load_explicit(&y, memory_order_acquire), pthread_join(t, 0), assert(seen[0] + seen[1] > 0);
    return 0;
}
