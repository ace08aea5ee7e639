// Trying for a reader-writer lock fails while there is a writer.
// explore: safe
// native: same
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int a, b;

void *reader(void *arg) {
    if (pthread_rwlock_tryrdlock(&l) == 0) {
        assert(a == b);
        pthread_rwlock_unlock(&l);
    }
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, reader, 0);
    pthread_rwlock_wrlock(&l);
    a = 1;
    b = 1;
    pthread_rwlock_unlock(&l);
    pthread_join(t, 0);
    pthread_rwlock_destroy(&l);
    return 0;
}
