// As null, with one read of the pointer.
// explore: safe
// native: same
#include <pthread.h>
#include <stdatomic.h>

int value = 5;
int *_Atomic shared = &value;

void *user(void *arg) {
    int *seen = atomic_load(&shared);
    if (seen)
        return (void *)(long)*seen;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, user, 0);
    atomic_store(&shared, 0);
    pthread_join(t, 0);
    return 0;
}
