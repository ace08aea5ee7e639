// As lock_misuse, with the unlock where the lock is.
// explore: safe
// native: same
#include <pthread.h>
#include <stdatomic.h>

pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
atomic_int locked;

void *worker(void *arg) {
    if (!atomic_exchange(&locked, 1)) {
        pthread_mutex_lock(&l);
        pthread_mutex_unlock(&l);
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
