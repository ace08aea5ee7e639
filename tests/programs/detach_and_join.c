// A thread that detaches itself, in some schedules and for one input only, must not be joined.
// explore: unknown
// reason: pthread_join of a thread that is joined or detached
#include <ordain.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int go;

void *worker(void *arg) {
    if (go == 3)
        pthread_detach(pthread_self());
    return 0;
}

int main(void) {
    pthread_t t;
    int i;
    ordain_input(&i, sizeof i, "i");
    pthread_create(&t, 0, worker, 0);
    if (i == 777)
        go = 3;
    pthread_join(t, 0);
    return 0;
}
