// Threads move money between accounts, each under the locks of both. Once, one of them looks at an account before it has the
// lock: money is lost.
//
// For how the time to reproduce a failure grows with the length of the run.
// check: assertion
// recorded: assertion:@total
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

#ifndef THREADS
#define THREADS 3
#endif
#ifndef ACCOUNTS
#define ACCOUNTS 8
#endif
// How often each thread moves money.
#ifndef ROUNDS
#define ROUNDS 30
#endif

static struct account {
    int money;
    pthread_mutex_t lock;
} accounts[ACCOUNTS];

static void move(int from, int to, int hasty) {
    struct account *a = &accounts[from], *b = &accounts[to];
    struct account *first = from < to ? a : b, *second = from < to ? b : a;
    int seen = a->money;
    if (hasty)
        usleep(2000);
    pthread_mutex_lock(&first->lock);
    pthread_mutex_lock(&second->lock);
    if (!hasty)
        seen = a->money;
    a->money = seen - 1;
    b->money++;
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
}

static void *work(void *arg) {
    unsigned me = (unsigned)(long)arg, random = me * 77 + 1;
    for (int i = 0; i < ROUNDS; i++) {
        random = random * 1103515245 + 12345;
        int from = random / 65536 % ACCOUNTS, to = (from + 1 + random / 1048576 % (ACCOUNTS - 1)) % ACCOUNTS;
        move(from, to, me == 0 && i == ROUNDS / 2);
        if (i % 32 == 0)
            usleep(50);
    }
    return 0;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < ACCOUNTS; i++) {
        accounts[i].money = 100;
        pthread_mutex_init(&accounts[i].lock, 0);
    }
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    int total = 0;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    for (int i = 0; i < ACCOUNTS; i++)
        total += accounts[i].money;
    assert(total == ACCOUNTS * 100); // @total
    return 0;
}
