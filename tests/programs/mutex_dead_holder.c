// A thread ends without releasing its mutex: nobody else gets it.
// explore: bug deadlock:15
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void *hold(void *arg) {
    pthread_mutex_lock(&mutex);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, hold, 0);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    return 0;
}
