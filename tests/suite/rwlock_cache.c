// A cache behind a read-write lock: look as a reader, fill as a writer. Between the two another may have filled it; the
// faulty one does not look again.
// case: safe
// cflags: -DN=2
// explore: safe
// case: bug
// cflags: -DN=2 -DNO_SECOND_LOOK
// explore: bug assertion:@twice
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int key, filled, value, fills;

int lookup(void) {
    pthread_rwlock_rdlock(&lock);
    if (filled) {
        int found = value;
        pthread_rwlock_unlock(&lock);
        return found;
    }
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_wrlock(&lock);
#ifndef NO_SECOND_LOOK
    if (!filled)
#endif
    {
        value = key ^ 85;
        filled = 1;
        fills++;
        assert(fills == 1); // @twice
    }
    int found = value;
    pthread_rwlock_unlock(&lock);
    return found;
}

void *worker(void *arg) {
    assert(lookup() == (key ^ 85));
    return 0;
}

int main(void) {
    ordain_input(&key, sizeof key, "key");
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, worker, 0);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
