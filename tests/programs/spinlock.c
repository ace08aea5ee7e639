// A spin lock keeps threads apart.
// explore: safe
// native: same
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_spinlock_t l;
int count;

void *worker(void *arg) {
    pthread_spin_lock(&l);
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
