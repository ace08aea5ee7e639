// reach_error keeps its meaning where the program defines it.
// explore: bug assertion:19
#include <pthread.h>
#include <stdatomic.h>

atomic_int turn;

void reach_error(void) {}

void *other(void *arg) {
    atomic_store(&turn, 1);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    if (atomic_load(&turn))
        reach_error();
    pthread_join(t, 0);
    return 0;
}
