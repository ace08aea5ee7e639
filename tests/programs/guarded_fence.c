// What drains the store buffer on one side of a branch drains nothing on the other.
// memory: pso
// explore: bug assertion:33
// check: assertion
#include <assert.h>
#include <ordain.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y, z;
int in;

void *writer(void *arg) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    if (in)
        atomic_fetch_add(&z, 1);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    return 0;
}

void *reader(void *arg) {
    if (atomic_load_explicit(&y, memory_order_acquire) == 1)
        return (void *)(long)(2 + atomic_load_explicit(&x, memory_order_relaxed));
    return 0;
}

int main(void) {
    pthread_t a, b;
    void *seen;
    ordain_input(&in, sizeof in, "in");
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(b, &seen); assert(seen != (void *)2);
    pthread_join(a, 0);
    return 0;
}
