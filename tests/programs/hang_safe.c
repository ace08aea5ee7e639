// As hang, with a flag that is always set.
// explore: safe
#include <ordain.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag;

void *setter(void *arg) {
    int i;
    ordain_input(&i, sizeof i, "i");
    atomic_store(&flag, i == 5 ? 2 : 1);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, setter, 0);
    while (!atomic_load(&flag)) {
    }
    pthread_join(t, 0);
    return 0;
}
