// Double-checked creation of a shared object. The faulty one publishes it before it is filled in.
// case: safe
// cflags: -DN=2
// explore: safe
// case: safe-three
// cflags: -DN=3
// explore: safe
// case: bug
// cflags: -DN=2 -DEARLY
// check: assertion
// explore: bug assertion:@filled
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct settings {
    int size;
};

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
_Atomic(struct settings *) current;
struct settings storage;

struct settings *settings(void) {
    struct settings *it = current;
    if (it)
        return it;
    pthread_mutex_lock(&lock);
    it = current;
    if (!it) {
        it = &storage;
#ifdef EARLY
        current = it;
        it->size = 42;
#else
        it->size = 42;
        current = it;
#endif
    }
    pthread_mutex_unlock(&lock);
    return it;
}

void *worker(void *arg) {
    assert(settings()->size == 42); // @filled
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, worker, 0);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
