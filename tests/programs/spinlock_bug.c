// Trying for a spin lock may fail, and then it is not yours to unlock.
// check: lock-misuse
// explore: bug lock-misuse:14
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_spinlock_t l;
int count;

void *worker(void *arg) {
    pthread_spin_trylock(&l);
    count++;
    pthread_spin_unlock(&l);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_spin_init(&l, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(count == 2);
    pthread_spin_destroy(&l);
    return 0;
}
