// As switch, with all states handled.
// explore: safe
#include <assert.h>
#include <ordain.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int state;

void *machine(void *arg) {
    switch (atomic_load(&state)) {
    case 0:
    case 1:
        break;
    case 2:
    case 3:
        break;
    default:
        assert(!"no such state");
    }
    return 0;
}

int main(void) {
    int next;
    ordain_input(&next, sizeof next, "next");
    pthread_t t;
    pthread_create(&t, 0, machine, 0);
    if (next >= 0 && next <= 3)
        atomic_store(&state, next);
    pthread_join(t, 0);
    return 0;
}
