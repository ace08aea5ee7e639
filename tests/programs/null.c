// The pointer is taken away between the test and the use.
// explore: bug null:11
#include <pthread.h>
#include <stdatomic.h>

int value = 5;
int *_Atomic shared = &value;

void *user(void *arg) {
    if (atomic_load(&shared))
        return (void *)(long)*atomic_load(&shared);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, user, 0);
    atomic_store(&shared, 0);
    pthread_join(t, 0);
    return 0;
}
