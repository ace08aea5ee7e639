// The room is checked and taken in two steps.
// explore: bug bounds:12
#include <pthread.h>
#include <stdatomic.h>

#define ROOM 2
int slot[ROOM];
atomic_int used = 1;

void *take(void *arg) {
    if (atomic_load(&used) < ROOM)
        slot[atomic_fetch_add(&used, 1)] = 7;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, take, 0);
    pthread_create(&b, 0, take, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
