// explore: safe
// native: same
#include <pthread.h>

pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
int shared;

void *writer(void *arg) {
    pthread_mutex_lock(&l);
    shared = 1;
    pthread_mutex_unlock(&l);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    pthread_mutex_lock(&l);
    int seen = shared;
    pthread_mutex_unlock(&l);
    pthread_join(t, 0);
    return seen;
}
