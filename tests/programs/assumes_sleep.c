// Right on any machine that is not very busy, but sleeping is no synchronisation.
// explore: bug assertion:20
// assumes: sleeping does not order anything
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

atomic_int done;

void *worker(void *arg) {
    atomic_store(&done, 1);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    sleep(1);
    assert(atomic_load(&done));
    return 0;
}
