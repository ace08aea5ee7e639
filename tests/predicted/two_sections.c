// Nobody has marked a region: a function that locks the same mutex twice for the same variable is taken for one.
//
// The run: one thread (0.1) adds, then the other (0.2).
// - two-sections: either call can be split by the other's write.
// - one-section: nobody comes between.
// - two-calls: each section is in a call of its own, and what is done in one does not depend on the other.
// only: atomicity,race
// case: two-sections
// cflags: -DTWO_SECTIONS
// predict: atomicity:@read-@write
// violations: 2
// case: one-section
// predict: none
// violations: 0
// case: two-calls
// cflags: -DTWO_CALLS
// predict: none
// violations: 0
#include <pthread.h>

pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
int balance;

void deposit(int amount) {
    pthread_mutex_lock(&l);
    int before = balance; // @read
#ifdef TWO_SECTIONS
    pthread_mutex_unlock(&l);
    pthread_mutex_lock(&l);
#endif
    balance = before + amount; // @write
    pthread_mutex_unlock(&l);
}

void *work(void *arg) {
    deposit(3);
#ifdef TWO_CALLS
    deposit(4);
#endif
    return arg;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, work, 0);
    pthread_create(&t2, 0, work, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
