// explore: bug use-after-free:19
// A thread's copy is gone when the thread is.
#include <pthread.h>
#include <stddef.h>

static _Thread_local int own = 3;
static int *seen;

static void *work(void *unused) {
    seen = &own;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    own = 4;
    return *seen;
}
