// A mutex must not be destroyed while another thread holds it. Once that thread has ended it may.
// explore: bug lock-misuse:19
#include <pthread.h>

pthread_mutex_t early = PTHREAD_MUTEX_INITIALIZER, late = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *arg) {
    pthread_mutex_lock(&early);
    pthread_mutex_unlock(&early);
    pthread_mutex_lock(&late);
    pthread_mutex_unlock(&late);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    // The worker may hold it.
    pthread_mutex_destroy(&early);
    pthread_join(t, 0);
    pthread_mutex_destroy(&late);
    return 0;
}
