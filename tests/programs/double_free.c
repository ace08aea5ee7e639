// Both threads may see the same pointer before either takes it away.
// explore: bug double-free:14
// check: double-free
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

char *_Atomic shared;

void *release(void *arg) {
    char *p = atomic_load(&shared);
    if (p) {
        atomic_store(&shared, 0);
        free(p);
    }
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
