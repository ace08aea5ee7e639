// explore: bug abort:13
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
    pthread_create(&t, 0, worker, 0);
    atomic_store(&ready, 1);
    pthread_join(t, 0);
    return 0;
}
