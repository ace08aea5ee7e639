// Whoever comes first sets it up, and nobody goes on before it is.
// explore: safe
// native: same
#include <assert.h>
#include <pthread.h>

pthread_once_t once = PTHREAD_ONCE_INIT;
int times;

void set_up(void) {
    times++;
}

void *worker(void *arg) {
    pthread_once(&once, set_up);
    assert(times == 1);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
