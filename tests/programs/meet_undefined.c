// What nobody has defined is nothing that anybody reads: bits that are put next to others in one byte. That stays so where
// two ways have met in between.
// explore: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

struct fields {
    unsigned low : 3;
    unsigned high : 5;
};

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
atomic_int detour, byte;

void *worker(void *arg) {
    struct fields f;
    unsigned unset;
    f.high = unset;
    if (atomic_load(&detour)) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    f.low = 1;
    unsigned char all;
    memcpy(&all, &f, 1);
    atomic_store(&byte, all);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    atomic_store(&detour, 1);
    pthread_join(t, 0);
    assert((atomic_load(&byte) & 7) == 1);
    return 0;
}
