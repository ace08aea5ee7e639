// A thread that ends with the lock held leaves the next one waiting for ever.
// explore: bug deadlock:16
#include <pthread.h>

pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;

void *holder(void *arg) {
    pthread_mutex_lock(&l);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, holder, 0);
    pthread_join(t, 0);
    pthread_mutex_lock(&l);
    return 0;
}
