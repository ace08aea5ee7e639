// One signal for two who wait, where either of them would do only for itself: the other one waits for ever.
// explore: bug deadlock:14
#include <pthread.h>

pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int tokens;

void *consumer(void *arg) {
    pthread_mutex_lock(&l);
    while (!tokens)
        // Should be woken once for each token, but a signal is lost on nobody, and a broadcast would be needed when
        // both tokens come at once.
        pthread_cond_wait(&changed, &l);
    tokens--;
    pthread_mutex_unlock(&l);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, consumer, 0);
    pthread_create(&b, 0, consumer, 0);
    pthread_mutex_lock(&l);
    tokens = 2;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&l);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
