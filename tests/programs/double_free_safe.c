// As double_free, with an exchange.
// explore: safe
// native: same
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

char *_Atomic shared;

void *release(void *arg) {
    char *p = atomic_exchange(&shared, 0);
    if (p)
        free(p);
    return 0;
}

int main(void) {
    pthread_t a, b;
    atomic_store(&shared, malloc(8));
    pthread_create(&a, 0, release, 0);
    pthread_create(&b, 0, release, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
