// It takes both a release and an acquire to synchronise.
// check: race
// case: store
// cflags: -DSTORE=memory_order_relaxed -DLOAD=memory_order_acquire
// explore: bug race:14-24
// case: load
// cflags: -DSTORE=memory_order_release -DLOAD=memory_order_relaxed
// explore: bug race:14-24
#include <pthread.h>
#include <stdatomic.h>
int data;
_Atomic int flag;
void *writer(void *arg) {
    data = 1;
    atomic_store_explicit(&flag, 1, STORE);
    return 0;
}

int main(void) {
    pthread_t w;
    pthread_create(&w, 0, writer, 0);
    int read = 0;
    if (atomic_load_explicit(&flag, LOAD))
        read = data;
    pthread_join(w, 0);
    return read;
}
