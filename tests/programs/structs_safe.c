// As structs, copied at once.
// explore: safe
// native: same
#include <assert.h>
#include <pthread.h>

struct range {
    int low, high;
};
struct range shared = {0, 10};
pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;

void *move(void *arg) {
    struct range next = {20, 30};
    pthread_mutex_lock(&l);
    shared = next;
    pthread_mutex_unlock(&l);
    return 0;
}

int main(void) {
    pthread_t t;
    struct range copy;
    pthread_create(&t, 0, move, 0);
    pthread_mutex_lock(&l);
    copy = shared;
    pthread_mutex_unlock(&l);
    assert(copy.high - copy.low == 10);
    pthread_join(t, 0);
    return 0;
}
