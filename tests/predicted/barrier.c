// A barrier after the region, and a write on either side of it.
//
// The run: the region (0.1) is executed, its thread waits at the barrier; the other (0.2) comes, and both go on.
// regions: marked
// blind: 1
// case: after
// only: atomicity,race
// predict: none
// violations: 0
// case: before
// cflags: -DBEFORE
// only: atomicity
// predict: atomicity:@first-@before-@second
// violations: 1
#include <ordain.h>
#include <pthread.h>

int x;
pthread_barrier_t both;

void *region(void *arg) {
    ordain_atomic_begin();
    x = 1;     // @first
    int a = x; // @second
    ordain_atomic_end();
    pthread_barrier_wait(&both);
    *(int *)arg = a;
    return arg;
}

void *other(void *arg) {
#ifdef BEFORE
    x = 3; // @before
#endif
    pthread_barrier_wait(&both);
#ifndef BEFORE
    x = 3;
#endif
    return arg;
}

int main(void) {
    pthread_t t1, t2;
    int a;
    pthread_barrier_init(&both, 0, 2);
    pthread_create(&t1, 0, region, &a);
    pthread_create(&t2, 0, other, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
