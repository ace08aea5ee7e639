// Who waits for a mutex inside an atomic section waits for ever: its holder cannot go on.
// explore: bug deadlock:21
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
int x;

void *worker(void *arg) {
    pthread_mutex_lock(&l);
    x++;
    pthread_mutex_unlock(&l);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    __VERIFIER_atomic_begin();
    pthread_mutex_lock(&l);
    x++;
    pthread_mutex_unlock(&l);
    __VERIFIER_atomic_end();
    pthread_join(t, 0);
    return 0;
}
