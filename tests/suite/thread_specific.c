// Each thread keeps a counter of its own and adds it to the total when it ends, by a destructor. The faulty destructor adds
// without the lock.
// case: safe
// cflags: -DN=2
// explore: safe
// case: bug
// cflags: -DN=2 -DUNLOCKED
// check: assertion
// explore: bug assertion:@total
#include <assert.h>
#include <pthread.h>

pthread_key_t key;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int counters[N], total;

void add_up(void *counter) {
#ifndef UNLOCKED
    pthread_mutex_lock(&lock);
#endif
    total += *(int *)counter;
#ifndef UNLOCKED
    pthread_mutex_unlock(&lock);
#endif
}

void *worker(void *arg) {
    pthread_setspecific(key, arg);
    for (int i = 0; i < 2; i++)
        ++*(int *)pthread_getspecific(key);
    return 0;
}

int main(void) {
    pthread_t threads[N];
    pthread_key_create(&key, add_up);
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, worker, &counters[i]);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    assert(total == 2 * N); // @total
    return 0;
}
