// As abort, with the flag set before the thread exists.
// explore: safe
#include <ordain.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int ready;

void *worker(void *arg) {
    int wanted;
    ordain_input(&wanted, sizeof wanted, "wanted");
    if (wanted == 42 && !atomic_load(&ready))
        abort();
    return 0;
}

int main(void) {
    pthread_t t;
    atomic_store(&ready, 1);
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    return 0;
}
