// Figure 6 of Fusion: once the region has been split, its thread goes another way than in the run.
//
// The run: the region (0.1) reads 1 + 0, so its thread makes x 2; the other (0.2) makes it 3 and reads that.
// With 3 written in between, the region reads 1 + 3, and nothing of what follows has to be as it was: the split ends with that read. If
// what is written in between is 0, the region reads what it has written itself, and nobody can tell.
// regions: marked
// only: atomicity
// blind: 1
// case: another-value
// predict: atomicity:@t1-@t5-@t2
// violations: 1
// case: same-value
// cflags: -DVALUE=0
// predict: none
// violations: 0
#include <ordain.h>
#include <pthread.h>

#ifndef VALUE
#define VALUE 3
#endif

int x;

void *region(void *arg) {
    ordain_atomic_begin();
    x = 0;         // @t1
    int a = x + 1; // @t2
    ordain_atomic_end();
    if (a == 1)
        x = 2;
    return arg;
}

void *other(void *arg) {
    x = VALUE; // @t5
    int b = x;
    *(int *)arg = b;
    return arg;
}

int main(void) {
    pthread_t t1, t2;
    int b = 0;
    pthread_create(&t1, 0, region, 0);
    pthread_create(&t2, 0, other, &b);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return b != VALUE;
}
