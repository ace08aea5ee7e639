// As uninitialised, with both fields set before the message is sent.
// explore: safe
// native: same
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct message {
    int size, urgent;
};
struct message *_Atomic box;

void *reader(void *arg) {
    struct message *m = atomic_load(&box);
    if (m && m->size > 0 && m->urgent)
        return m;
    return 0;
}

int main(void) {
    struct message *m = malloc(sizeof *m);
    pthread_t t;
    pthread_create(&t, 0, reader, 0);
    m->size = 1;
    m->urgent = 0;
    atomic_store(&box, m);
    pthread_join(t, 0);
    return 0;
}
