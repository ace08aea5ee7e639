// The flag is set for some inputs only.
// explore: bug hang:20
#include <ordain.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag;

void *setter(void *arg) {
    int i;
    ordain_input(&i, sizeof i, "i");
    if (i != 5)
        atomic_store(&flag, 1);
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
