// A thread would join another one behind a lock that it never gets. That join orders nothing where the thread was
// created without anything to join.
// explore: bug assertion:48
// check: assertion
#include <assert.h>
#include <ordain.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag, done;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *reader(void *arg) {
    atomic_store(&done, atomic_load(&flag));
    return 0;
}

void *writer(void *arg) {
    atomic_store(&flag, 1);
    return 0;
}

void *parent(void *joined) {
    pthread_t t;
    if (joined) {
        pthread_mutex_lock(&lock);
        pthread_join((pthread_t)joined, 0);
    }
    pthread_create(&t, 0, writer, 0);
    return 0;
}

int main(void) {
    int x;
    ordain_input(&x, sizeof x, "x");
    pthread_t a, b;
    pthread_create(&a, 0, reader, 0);
    if (x == 5) {
        pthread_join(a, 0);
        pthread_mutex_lock(&lock);
        pthread_create(&b, 0, parent, (void *)a);
        return 0;
    }
    pthread_create(&b, 0, parent, 0);
    pthread_join(b, 0);
    pthread_join(a, 0);
    if (x == 7)
        assert(!atomic_load(&done));
    return 0;
}
