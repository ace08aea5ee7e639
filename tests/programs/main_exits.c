// Main may end before its threads: the process ends with the last of them.
// explore: safe
// native: same
#include <assert.h>
#include <errno.h>
#include <pthread.h>

int x;
pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *arg) {
    pthread_mutex_lock(&l);
    x++;
    assert(x <= 2);
    pthread_mutex_unlock(&l);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_exit(0);
}
