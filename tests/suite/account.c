// Deposits and withdrawals of inputs on one account: what is taken was there. The faulty withdrawal looks under one lock and
// takes under the next.
// case: safe
// cflags: -DN=2
// explore: safe
// case: safe-three
// cflags: -DN=3
// explore: safe
// case: bug
// cflags: -DN=2 -DTWO_STEPS
// explore: bug assertion:@covered
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int balance = 100;

void *withdraw(void *arg) {
    int amount = __VERIFIER_nondet_int();
    if (amount <= 0 || amount > 1000)
        return 0;
    pthread_mutex_lock(&lock);
    int enough = balance >= amount;
#ifdef TWO_STEPS
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    if (enough)
        balance -= amount;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, withdraw, 0);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    assert(balance >= 0); // @covered
    return 0;
}
