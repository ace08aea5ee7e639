// Another thread comes between, and it makes no difference; and twins in which it does.
//
// The run: the region (0.1), then the other thread (0.2).
// - same-value: x is 0, 0 is read, 0 is written, 0 is read.
// - same-end: 0 is read, both write 1, the region last or first.
// - put-back: what the other thread changes it puts back before it lets go of the lock, so the region reads 0 twice.
// - put-back-late: the same in two sections. Between change and repair the region may read 9, before or after reading 0.
// regions: marked
// only: atomicity
// case: same-value
// cflags: -DSAME_VALUE
// predict: none
// violations: 0
// blind: 1
// case: same-end
// cflags: -DSAME_END
// predict: none
// violations: 0
// blind: 1
// case: put-back
// cflags: -DPUT_BACK
// predict: none
// violations: 0
// blind: 2
// case: put-back-late
// cflags: -DPUT_BACK -DLATE
// predict: atomicity:@first-@change-@second atomicity:@first-@repair-@second
// violations: 2
// blind: 2
#include <ordain.h>
#include <pthread.h>

int x;
pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;

void *region(void *arg) {
    int b = 0;
    ordain_atomic_begin();
    pthread_mutex_lock(&l);
    int a = x; // @first
    pthread_mutex_unlock(&l);
    pthread_mutex_lock(&l);
#ifdef SAME_END
    x = 1;
#else
    b = x; // @second
#endif
    pthread_mutex_unlock(&l);
    ordain_atomic_end();
    *(int *)arg = a + b;
    return arg;
}

void *other(void *arg) {
    pthread_mutex_lock(&l);
#ifdef SAME_VALUE
    x = 0;
#endif
#ifdef SAME_END
    x = 1;
#endif
#ifdef PUT_BACK
    x = 9; // @change
#ifdef LATE
    pthread_mutex_unlock(&l);
    pthread_mutex_lock(&l);
#endif
    x = 0; // @repair
#endif
    pthread_mutex_unlock(&l);
    return arg;
}

int main(void) {
    pthread_t t1, t2;
    int sum;
    pthread_create(&t1, 0, region, &sum);
    pthread_create(&t2, 0, other, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
