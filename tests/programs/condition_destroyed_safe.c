// Whoever was woken waits no longer: the condition variable may be destroyed before it gets the mutex back.
// explore: safe
// native: same
#include <pthread.h>

pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int done;

void *waiter(void *arg) {
    pthread_mutex_lock(&l);
    while (!done)
        pthread_cond_wait(&changed, &l);
    pthread_mutex_unlock(&l);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, waiter, 0);
    pthread_mutex_lock(&l);
    done = 1;
    pthread_cond_broadcast(&changed);
    pthread_cond_destroy(&changed);
    pthread_mutex_unlock(&l);
    pthread_join(t, 0);
    return 0;
}
