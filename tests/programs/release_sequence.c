// Read-modify-writes, relaxed ones too, pass on what a release store has published.
// check: race
// explore: safe
// native: same
#include <pthread.h>
#include <stdatomic.h>

int data;
_Atomic int flag;

void *writer(void *arg) {
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return 0;
}

void *counter(void *arg) {
    atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed);
    return 0;
}

int main(void) {
    pthread_t w, c;
    pthread_create(&w, 0, writer, 0);
    pthread_create(&c, 0, counter, 0);
    int read = 0;
    if (atomic_load_explicit(&flag, memory_order_acquire) == 2)
        read = data;
    pthread_join(w, 0);
    pthread_join(c, 0);
    return read;
}
