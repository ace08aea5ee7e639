// Two sections of a recursive mutex, inside a third one or not.
//
// The run: the region (0.1), then the other thread (0.2).
// - held: who unlocks once still has it.
// - not-held: the other thread can come between the two sections.
// regions: marked
// only: atomicity,race
// case: held
// cflags: -DHELD
// predict: none
// violations: 0
// case: not-held
// predict: atomicity:@first-@remote-@second
// violations: 1
#include <ordain.h>
#include <pthread.h>

pthread_mutex_t l;
int x;

void *region(void *arg) {
#ifdef HELD
    pthread_mutex_lock(&l);
#endif
    ordain_atomic_begin();
    pthread_mutex_lock(&l);
    int a = x; // @first
    pthread_mutex_unlock(&l);
    pthread_mutex_lock(&l);
    x = a + 1; // @second
    pthread_mutex_unlock(&l);
    ordain_atomic_end();
#ifdef HELD
    pthread_mutex_unlock(&l);
#endif
    return arg;
}

void *other(void *arg) {
    pthread_mutex_lock(&l);
    x = 5; // @remote
    pthread_mutex_unlock(&l);
    return arg;
}

int main(void) {
    pthread_t t1, t2;
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&l, &kind);
    pthread_create(&t1, 0, region, 0);
    pthread_create(&t2, 0, other, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
