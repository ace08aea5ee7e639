// Two variables that belong together: each is accessed once in the region, and yet it matters what comes between.
//
// The run: the region (0.1) sets both, then the other thread (0.2) reads both, under one lock and in one section.
// - two-variables: with the reader in between, it reads the new x and the old y. With the region in one piece that cannot be: whoever
//   has seen the new x comes after the region, and sees the new y.
// - one-section: the region holds the lock from one to the other.
// - same-values: y is written as it was, so the reader could as well have come after the region.
// regions: marked
// only: atomicity
// case: two-variables
// predict: atomicity:@x-@y-@readx-@ready
// case: one-section
// cflags: -DONE_SECTION
// predict: none
// case: same-values
// cflags: -DY=0
// predict: none
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

#ifndef Y
#define Y 1
#endif

pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
int x, y;

void *region(void *arg) {
    ordain_atomic_begin();
    pthread_mutex_lock(&l);
    x = 1; // @x
#ifndef ONE_SECTION
    pthread_mutex_unlock(&l);
    pthread_mutex_lock(&l);
#endif
    y = Y; // @y
    pthread_mutex_unlock(&l);
    ordain_atomic_end();
    return arg;
}

void *reader(void *arg) {
    pthread_mutex_lock(&l);
    int a = x; // @readx
    int b = y; // @ready
    pthread_mutex_unlock(&l);
    assert(b == a * Y);
    return arg;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, region, 0);
    pthread_create(&t2, 0, reader, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
