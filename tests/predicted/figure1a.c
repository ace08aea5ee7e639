// Figure 1 (a) of Fusion: the remote write is made only by who has seen the region's.
//
// The run: the region (0.1) makes x 1; the other thread (0.2) sees that and makes it 5.
// In the paper's program the write cannot come between, because x is 0 until the region ends. If 0 will do, it can.
// regions: marked
// only: atomicity
// case: greater
// predict: none
// violations: 0
// blind: 1
// case: greater-or-equal
// cflags: -DMODIFIED
// predict: atomicity:@t1-@t5-@t2
// violations: 1
// blind: 1
#include <ordain.h>
#include <pthread.h>

int x;

void *region(void *arg) {
    ordain_atomic_begin();
    int a = x; // @t1
    x = a + 1; // @t2
    ordain_atomic_end();
    return arg;
}

void *other(void *arg) {
    int b = x;
#ifdef MODIFIED
    if (b >= 0)
#else
    if (b > 0)
#endif
        x = 5; // @t5
    return arg;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, region, 0);
    pthread_create(&t2, 0, other, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
