// Looking and acting on it, without marks: what was seen may not hold any more.
//
// The run: one thread (0.1) takes one of two things, then the other thread (0.2) takes the other.
// - apart: between looking and taking, somebody else may take, and the first takes from less than it has seen. It goes well, since
//   there were two; but no call in one piece sees two and then finds one.
// - together: both in one section.
// - last: acting is the last thing that the thread does, if it does it.
// only: atomicity,race
// case: apart
// cflags: -DAPART
// predict: atomicity:@check-@act
// violations: 2
// case: together
// predict: none
// violations: 0
// case: last
// cflags: -DLAST
// predict: atomicity:@look-@other-@claim
// violations: 1
#include <pthread.h>
#include <stdatomic.h>

pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
int stock = 2;
atomic_int owner;

void *take(void *arg) {
    pthread_mutex_lock(&l);
    int is_there = stock > 0; // @check
#ifdef APART
    pthread_mutex_unlock(&l);
    pthread_mutex_lock(&l);
#endif
    if (is_there)
        stock--; // @act
    pthread_mutex_unlock(&l);
    return arg;
}

void *claim(void *arg) {
    if (atomic_load(&owner) == 0) // @look
        atomic_store(&owner, 1);  // @claim
    return arg;
}

void *other(void *arg) {
    atomic_store(&owner, 2); // @other
    return arg;
}

int main(void) {
    pthread_t t1, t2;
#ifdef LAST
    pthread_create(&t1, 0, claim, 0);
    pthread_create(&t2, 0, other, 0);
#else
    pthread_create(&t1, 0, take, 0);
    pthread_create(&t2, 0, take, 0);
#endif
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
