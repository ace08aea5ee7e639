// A region that lets go of the lock of its variable, but holds another one meanwhile, which it took before and keeps until after.
//
// The run: the region (0.1), then the other thread (0.2).
// - guarded: the other thread takes that one too, so it cannot come between: it would need both, and one of them is always taken.
//   (Both threads can be stuck. That is another matter.)
// - unguarded: it takes only the lock of the variable.
// regions: marked
// only: atomicity
// case: guarded
// cflags: -DGUARDED
// predict: none
// violations: 0
// case: unguarded
// predict: atomicity:@first-@remote-@second
// violations: 1
#include <ordain.h>
#include <pthread.h>

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
int x;

void *region(void *arg) {
    ordain_atomic_begin();
    pthread_mutex_lock(&a);
    int seen = x; // @first
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&a);
    pthread_mutex_lock(&a);
    x = seen + 1; // @second
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    ordain_atomic_end();
    return arg;
}

void *other(void *arg) {
#ifdef GUARDED
    pthread_mutex_lock(&b);
#endif
    pthread_mutex_lock(&a);
    x = 5; // @remote
    pthread_mutex_unlock(&a);
#ifdef GUARDED
    pthread_mutex_unlock(&b);
#endif
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
