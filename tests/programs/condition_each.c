// Each signal wakes another one of those who wait: a thread that was woken is not there for the next signal to be lost on.
// spurious: off
// explore: safe
// native: same
#include <pthread.h>

pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int waiting;

void *waiter(void *arg) {
    pthread_mutex_lock(&l);
    ++waiting;
    pthread_cond_wait(&changed, &l);
    pthread_mutex_unlock(&l);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, waiter, 0);
    pthread_create(&b, 0, waiter, 0);
    pthread_mutex_lock(&l);
    int both = waiting == 2;
    if (both) {
        pthread_cond_signal(&changed);
        pthread_cond_signal(&changed);
    }
    pthread_mutex_unlock(&l);
    if (both) {
        pthread_join(a, 0);
        pthread_join(b, 0);
    }
    return 0;
}
