// A condition variable must not be destroyed while somebody waits for it.
// spurious: off
// explore: bug lock-misuse:23 deadlock:11
#include <pthread.h>

pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

void *waiter(void *arg) {
    pthread_mutex_lock(&l);
    pthread_cond_wait(&changed, &l);
    pthread_mutex_unlock(&l);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, waiter, 0);
    pthread_mutex_lock(&l);
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&l);
    // Too early, if the signal came before the wait.
    pthread_cond_destroy(&changed);
    pthread_join(t, 0);
    return 0;
}
