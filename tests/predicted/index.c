// Which cell the other thread writes depends on when it looks.
//
// The run: the region (0.1) reads the first cell twice, then 0.2 says that the second is to be written, and 0.3 does so. 0.3 branches
// nowhere, so it can as well come before 0.2, and then it writes the cell that was meant at the start: the region's, or one that
// nobody reads.
// regions: marked
// only: atomicity
// case: hit
// cflags: -DSTART=0
// predict: atomicity:@first-@remote-@second
// violations: 1
// case: missed
// cflags: -DSTART=2
// predict: none
// violations: 0
#include <ordain.h>
#include <pthread.h>

int cells[3];
int which = START;

void *region(void *arg) {
    ordain_atomic_begin();
    int a = cells[0]; // @first
    int b = cells[0]; // @second
    ordain_atomic_end();
    *(int *)arg = a + b;
    return arg;
}

void *choose(void *arg) {
    which = 1;
    return arg;
}

void *other(void *arg) {
    cells[which] = 5; // @remote
    return arg;
}

int main(void) {
    pthread_t t1, t2, t3;
    int sum;
    pthread_create(&t1, 0, region, &sum);
    pthread_create(&t2, 0, choose, 0);
    pthread_create(&t3, 0, other, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    pthread_join(t3, 0);
    return 0;
}
