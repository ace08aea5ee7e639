// A signal that nobody waits for yet is lost, and the wait that follows never ends.
// explore: bug deadlock:19
#include <pthread.h>

pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

void *producer(void *arg) {
    pthread_mutex_lock(&l);
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&l);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, producer, 0);
    pthread_mutex_lock(&l);
    pthread_cond_wait(&changed, &l);
    pthread_mutex_unlock(&l);
    pthread_join(t, 0);
    return 0;
}
