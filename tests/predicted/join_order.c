// What create and join order needs no lock.
//
// The run: the region (0.1; with `created`, it is in 0.1 too, which creates the other thread as 0.1.1), then the other thread.
// - joined: the other thread is created when the region's has ended.
// - created: the region's thread creates the other one after its region.
// - together: both are there from the start.
// regions: marked
// case: joined
// cflags: -DJOINED
// only: atomicity,race
// predict: none
// violations: 0
// case: created
// cflags: -DCREATED
// only: atomicity,race
// predict: none
// violations: 0
// case: together
// only: atomicity
// predict: atomicity:@first-@remote-@second
// violations: 1
#include <ordain.h>
#include <pthread.h>

int x;

void *other(void *arg) {
    x = 3; // @remote
    return arg;
}

void *region(void *arg) {
    ordain_atomic_begin();
    x = 1;     // @first
    int a = x; // @second
    ordain_atomic_end();
#ifdef CREATED
    pthread_t t2;
    pthread_create(&t2, 0, other, 0);
    pthread_join(t2, 0);
#endif
    *(int *)arg = a;
    return arg;
}

int main(void) {
    pthread_t t1;
    int a;
    pthread_create(&t1, 0, region, &a);
#ifdef JOINED
    pthread_join(t1, 0);
#endif
#ifndef CREATED
    pthread_t t2;
    pthread_create(&t2, 0, other, 0);
    pthread_join(t2, 0);
#endif
#ifndef JOINED
    pthread_join(t1, 0);
#endif
    return 0;
}
