// explore: bug assertion:11
// A handler that runs at the end, beside threads that are still there.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int closed, used;

static void close_all(void) {
    assert(!atomic_load(&used));
    atomic_store(&closed, 1);
}

static void *work(void *unused) {
    if (!atomic_load(&closed))
        atomic_store(&used, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    atexit(close_all);
    pthread_create(&thread, NULL, work, NULL);
    return 0;
}
