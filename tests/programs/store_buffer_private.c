// What a thread does to memory of its own: allocating, freeing and inputs leave its stores where they are, atomic
// updates and sequentially consistent stores empty its store buffer all the same.
// case: allocation
// memory: tso
// cflags: -DBETWEEN=allocation()
// explore: bug assertion:67
// case: allocation-pso
// memory: pso
// cflags: -DBETWEEN=allocation()
// explore: bug assertion:67
// case: input
// memory: tso
// cflags: -DBETWEEN=input()
// explore: bug assertion:67
// case: update
// memory: tso
// cflags: -DBETWEEN=update()
// explore: safe
// case: update-pso
// memory: pso
// cflags: -DBETWEEN=update()
// explore: safe
// case: store
// memory: tso
// cflags: -DBETWEEN=store()
// explore: safe
#include <assert.h>
#include <ordain.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int x, y;
int a, b;

static void allocation(void) {
    free(malloc(4));
}

static void input(void) {
    int value;
    ordain_input(&value, sizeof value, "value");
}

static void update(void) {
    atomic_int own = 0;
    atomic_fetch_add(&own, 1);
}

static void store(void) {
    atomic_int *own = malloc(sizeof *own);
    atomic_store(own, 1);
    free(own);
}

void *first(void *arg) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    BETWEEN;
    a = atomic_load_explicit(&y, memory_order_relaxed);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, first, 0);
    atomic_store_explicit(&y, 1, memory_order_relaxed), BETWEEN, b = atomic_load_explicit(&x, memory_order_relaxed);
    pthread_join(thread, 0), assert(a == 1 || b == 1);
    return 0;
}
