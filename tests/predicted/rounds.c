// A region that is executed several times is one region to whoever reads the source; two regions are two.
//
// The run: the regions (0.1), then the other thread (0.2).
// - rounds: any of the three rounds can be split, which is one violation.
// - apart: the read is in one region and the write in the next. What comes between the two splits neither.
// regions: marked
// only: atomicity
// case: rounds
// predict: atomicity:@read-@remote-@write
// violations: 1
// case: apart
// cflags: -DAPART
// predict: none
// violations: 0
#include <ordain.h>
#include <pthread.h>

int x;

void *regions(void *arg) {
    for (int i = 0; i < 3; i++) {
        ordain_atomic_begin();
        int a = x; // @read
#ifdef APART
        ordain_atomic_end();
        ordain_atomic_begin();
#endif
        x = a + 1; // @write
        ordain_atomic_end();
    }
    return arg;
}

void *other(void *arg) {
    x = 5; // @remote
    return arg;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, regions, 0);
    pthread_create(&t2, 0, other, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
