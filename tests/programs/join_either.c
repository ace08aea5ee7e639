// Either of two threads joins a third, but never both.
// explore: safe
#include <pthread.h>
#include <stdatomic.h>

pthread_t t;
atomic_int joined;

void *nothing(void *arg) {
    return arg;
}

void *joiner(void *arg) {
    if (!atomic_exchange(&joined, 1))
        pthread_join(t, 0);
    return 0;
}

int main(void) {
    pthread_t u;
    pthread_create(&t, 0, nothing, 0);
    pthread_create(&u, 0, joiner, 0);
    joiner(0);
    pthread_join(u, 0);
    return 0;
}
