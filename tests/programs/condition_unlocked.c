// Waiting for a condition takes a mutex that the thread has locked.
// explore: bug lock-misuse:9
#include <pthread.h>

pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

int main(void) {
    pthread_cond_wait(&changed, &l);
    return 0;
}
