// Locking a default mutex twice blocks for ever.
// explore: bug deadlock:8
#include <pthread.h>

pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;

void helper(void) {
    pthread_mutex_lock(&l);
    pthread_mutex_unlock(&l);
}

int main(void) {
    pthread_mutex_lock(&l);
    helper();
    pthread_mutex_unlock(&l);
    return 0;
}
