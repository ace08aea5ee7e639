// Two threads join the same one, in some schedules and for one input only: undefined, so there is no verdict.
// explore: unknown
// reason: pthread_join of a thread that is joined or detached
#include <assert.h>
#include <ordain.h>
#include <pthread.h>
#include <stdatomic.h>

pthread_t t;
atomic_int go;

void *nothing(void *arg) {
    return arg;
}

void *joiner(void *arg) {
    if (go == 3) {
        pthread_join(t, 0);
        go = 4;
    }
    return 0;
}

int main(void) {
    pthread_t u;
    int i;
    ordain_input(&i, sizeof i, "i");
    pthread_create(&t, 0, nothing, 0);
    pthread_create(&u, 0, joiner, 0);
    if (i == 777)
        go = 3;
    pthread_join(t, 0);
    assert(go != 4);
    pthread_join(u, 0);
    return 0;
}
