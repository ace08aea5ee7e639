// account.c, repaired: looking at the balance and paying are one critical section.
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

static int balance = 100;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *withdraw(void *arg) {
    int amount = *(int *)arg;
    pthread_mutex_lock(&lock);
    if (balance >= amount)
        balance -= amount;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    int amount[2];
    ordain_input(&amount[0], sizeof amount[0], "first amount");
    ordain_input(&amount[1], sizeof amount[1], "second amount");
    if (amount[0] < 0 || amount[0] > 100 || amount[1] < 0 || amount[1] > 100)
        return 0;

    pthread_t first, second;
    pthread_create(&first, 0, withdraw, &amount[0]);
    pthread_create(&second, 0, withdraw, &amount[1]);
    pthread_join(first, 0);
    pthread_join(second, 0);
    assert(balance >= 0);
    return 0;
}
