// Figure 1 (b) of Fusion: the remote write waits for a signal that comes after the region.
//
// The runs: `waits`: the other thread (0.1) waits, the region (0.2) is executed, and the signal wakes the other. `told`: the region comes
// first (0.1), the other thread (0.2) finds the flag up and does not wait. `unordered`: as `told`, and nobody looks at a flag.
// regions: marked
// only: atomicity
// blind: 1
// case: waits
// cflags: -DORDERED -DOTHER_FIRST
// predict: none
// violations: 0
// case: told
// cflags: -DORDERED
// predict: none
// violations: 0
// case: unordered
// predict: atomicity:@t1-@t5-@t2
// violations: 1
#include <ordain.h>
#include <pthread.h>

int x;
#ifdef ORDERED
int done;
pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
#endif

void *region(void *arg) {
    ordain_atomic_begin();
    x = 1;         // @t1
    int a = x + 1; // @t2
    ordain_atomic_end();
#ifdef ORDERED
    pthread_mutex_lock(&l);
    done = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&l);
#endif
    *(int *)arg = a;
    return arg;
}

void *other(void *arg) {
#ifdef ORDERED
    pthread_mutex_lock(&l);
    while (!done)
        pthread_cond_wait(&c, &l);
    pthread_mutex_unlock(&l);
#endif
    x = 3; // @t5
    return arg;
}

int main(void) {
    pthread_t t1, t2;
    int a = 0;
#ifdef OTHER_FIRST
    pthread_create(&t2, 0, other, 0);
    pthread_create(&t1, 0, region, &a);
#else
    pthread_create(&t1, 0, region, &a);
    pthread_create(&t2, 0, other, 0);
#endif
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return a != 2;
}
