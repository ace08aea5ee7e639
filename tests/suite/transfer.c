// Transfers between accounts that inputs name. Locking in the order of the transfer deadlocks for opposite ones (and for one
// to itself); locking in the order of the accounts does not.
// case: bug
// explore: bug deadlock:@to
// case: safe
// cflags: -DORDERED
// explore: safe
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

#define ACCOUNTS 3
pthread_mutex_t lock[ACCOUNTS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
int balance[ACCOUNTS] = {100, 100, 100};

void transfer(int from, int to, int amount) {
    int first = from, second = to;
#ifdef ORDERED
    if (from == to)
        return;
    if (from > to) {
        first = to;
        second = from;
    }
#endif
    pthread_mutex_lock(&lock[first]);
    pthread_mutex_lock(&lock[second]); // @to
    if (balance[from] >= amount) {
        balance[from] -= amount;
        balance[to] += amount;
    }
    pthread_mutex_unlock(&lock[second]);
    pthread_mutex_unlock(&lock[first]);
}

void *worker(void *arg) {
    unsigned char from, to, amount;
    ordain_input(&from, 1, "from");
    ordain_input(&to, 1, "to");
    ordain_input(&amount, 1, "amount");
    ordain_assume(from < ACCOUNTS && to < ACCOUNTS);
    transfer(from, to, amount);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(balance[0] + balance[1] + balance[2] == 300);
    assert(balance[0] >= 0 && balance[1] >= 0 && balance[2] >= 0);
    return 0;
}
