// Locks that are not nested: each is given back when the next one has been taken.
//
// The run: one thread (0.1) goes along the chain, then the other (0.2).
// - same-way: the second follows the first.
// - opposite: they meet, at either of two places: one holds the first lock and wants the second, which the other holds and wants
//   the first; or the same with the second and the third. That the first thread has let go of the first lock when it wants the third
//   matters: at no other places can they be stuck.
// only: deadlock,hang
// case: same-way
// predict: none
// case: opposite
// cflags: -DOPPOSITE
// predict: deadlock:@forth1-@back0 deadlock:@forth2-@back1
#include <pthread.h>

pthread_mutex_t l[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

void *forth(void *arg) {
    pthread_mutex_lock(&l[0]);
    pthread_mutex_lock(&l[1]); // @forth1
    pthread_mutex_unlock(&l[0]);
    pthread_mutex_lock(&l[2]); // @forth2
    pthread_mutex_unlock(&l[1]);
    pthread_mutex_unlock(&l[2]);
    return arg;
}

#ifdef OPPOSITE
void *back(void *arg) {
    pthread_mutex_lock(&l[2]);
    pthread_mutex_lock(&l[1]); // @back1
    pthread_mutex_unlock(&l[2]);
    pthread_mutex_lock(&l[0]); // @back0
    pthread_mutex_unlock(&l[1]);
    pthread_mutex_unlock(&l[0]);
    return arg;
}
#else
#define back forth
#endif

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, forth, 0);
    pthread_create(&t2, 0, back, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
