// In the order that a run is likely to take, the lock happens to order the two plain accesses; in the other it does not.
// explore: bug race:11-18
#include <pthread.h>

pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
int shared;

void *other(void *arg) {
    pthread_mutex_lock(&l);
    pthread_mutex_unlock(&l);
    shared = 2;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    shared = 1;
    pthread_mutex_lock(&l);
    pthread_mutex_unlock(&l);
    pthread_join(t, 0);
    return 0;
}
