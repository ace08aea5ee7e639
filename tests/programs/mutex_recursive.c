// A recursive mutex can be locked again by its owner.
// explore: safe
// native: same
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_mutex_t l;
int count;

void add(int n) {
    pthread_mutex_lock(&l);
    count++;
    if (n > 1)
        add(n - 1);
    pthread_mutex_unlock(&l);
}

void *worker(void *arg) {
    add(2);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&l, &kind);
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(count == 4);
    pthread_mutex_destroy(&l);
    return 0;
}
