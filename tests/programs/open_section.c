// What the reader needs is written inside a critical section, on a side of a branch that the first run does not take.
// explore: bug assertion:23
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
int x;

void *writer(void *arg) {
    int i;
    ordain_input(&i, sizeof i, "i");
    pthread_mutex_lock(&l);
    if (i == 7)
        x = 2;
    pthread_mutex_unlock(&l);
    return 0;
}

void *reader(void *arg) {
    pthread_mutex_lock(&l);
    if (x == 2)
        assert(!"reached");
    pthread_mutex_unlock(&l);
    return 0;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, writer, 0);
    pthread_create(&u, 0, reader, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
