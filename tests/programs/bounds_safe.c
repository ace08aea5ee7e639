// As bounds, under a lock.
// explore: safe
// native: same
#include <pthread.h>

#define ROOM 2
int slot[ROOM], used = 1;
pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;

void *take(void *arg) {
    pthread_mutex_lock(&l);
    if (used < ROOM)
        slot[used++] = 7;
    pthread_mutex_unlock(&l);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, take, 0);
    pthread_create(&b, 0, take, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
