// The eight ways in which another thread's access can come between two of a region.
//
// The run: the region (0.1), then the other thread (0.2). Five of the eight can make a difference. Three writes do so only if the
// one in between could not have come first: in the last case the other thread has seen what the region writes in between.
// regions: marked
// only: atomicity
// case: read-write-read
// cflags: -DFIRST=READ -DREMOTE=WRITE -DSECOND=READ
// predict: atomicity:@first-@remote-@second
// violations: 1
// case: read-write-write
// cflags: -DFIRST=READ -DREMOTE=WRITE -DSECOND=WRITE
// predict: atomicity:@first-@remote-@second
// violations: 1
// case: write-read-write
// cflags: -DFIRST=WRITE -DREMOTE=READ -DSECOND=WRITE
// predict: atomicity:@first-@remote-@second
// violations: 1
// case: write-write-read
// cflags: -DFIRST=WRITE -DREMOTE=WRITE -DSECOND=READ
// predict: atomicity:@first-@remote-@second
// violations: 1
// case: write-write-write
// cflags: -DFIRST=WRITE -DREMOTE=WRITE -DSECOND=WRITE -DTOLD
// predict: atomicity:@first-@remote-@second
// violations: 1
// case: write-write-write-unseen
// cflags: -DFIRST=WRITE -DREMOTE=WRITE -DSECOND=WRITE
// predict: none
// violations: 0
// blind: 1
// case: read-read-read
// cflags: -DFIRST=READ -DREMOTE=READ -DSECOND=READ
// predict: none
// violations: 0
// blind: 0
// case: read-read-write
// cflags: -DFIRST=READ -DREMOTE=READ -DSECOND=WRITE
// predict: none
// violations: 0
// blind: 0
// case: write-read-read
// cflags: -DFIRST=WRITE -DREMOTE=READ -DSECOND=READ
// predict: none
// violations: 0
// blind: 0
#include <ordain.h>
#include <pthread.h>

enum { READ, WRITE };

int x;
#ifdef TOLD
int told;
#endif

void *region(void *arg) {
    int a = 0, b = 0;
    ordain_atomic_begin();
    FIRST == WRITE ? (x = 1) : (a = x); // @first
#ifdef TOLD
    told = 1;
#endif
    SECOND == WRITE ? (x = 2) : (b = x); // @second
    ordain_atomic_end();
    *(int *)arg = a + b;
    return arg;
}

void *other(void *arg) {
    int c = 0;
#ifdef TOLD
    if (told)
#endif
        REMOTE == WRITE ? (x = 5) : (c = x); // @remote
    *(int *)arg = c;
    return arg;
}

int main(void) {
    pthread_t t1, t2;
    int sums[2];
    pthread_create(&t1, 0, region, &sums[0]);
    pthread_create(&t2, 0, other, &sums[1]);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
