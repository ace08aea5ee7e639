// Main ends the process with a lock held that another thread waits for: that is no deadlock.
// explore: safe
// native: same
#include <pthread.h>

pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;

void *waiter(void *arg) {
    pthread_mutex_lock(&l);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_mutex_lock(&l);
    pthread_create(&t, 0, waiter, 0);
    return 0;
}
