// The same as `early_return`, in a run that is too long to be looked at as a whole.
//
// The run: one thread goes round many times, each time under the lock, and stops when the flag is up; then another raises it.
// Had it been up already, the first would have ended with the lock.
// only: deadlock,hang
// predict: deadlock:@again-@join
#include <pthread.h>

#define ROUNDS 3000

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int done, count;

void *worker(void *arg) {
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        if (done)
            return 0;
        count++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

void *other(void *arg) {
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock); // @again
    count++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, worker, 0);
    pthread_create(&t2, 0, other, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0); // @join
    return 0;
}
