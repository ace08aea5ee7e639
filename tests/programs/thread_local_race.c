// explore: bug race:12-20
// A copy whose address goes to another thread is as shared as any variable.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static _Thread_local int own = 3;
static _Atomic(int *) seen;
static int sum;

static void *work(void *unused) {
    *atomic_load(&seen) = 5;
    return unused;
}

int main(void) {
    pthread_t thread;
    atomic_store(&seen, &own);
    pthread_create(&thread, NULL, work, NULL);
    sum = own;
    pthread_join(thread, NULL);
    return 0;
}
