// Who does not get the lock does nothing.
// explore: safe
// native: same
#include <assert.h>
#include <pthread.h>

pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
int counter;

void *worker(void *arg) {
    if (pthread_mutex_trylock(&l))
        return 0;
    counter++;
    pthread_mutex_unlock(&l);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 1 || counter == 2);
    return 0;
}
