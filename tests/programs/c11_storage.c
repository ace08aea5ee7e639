// Thread-specific storage of C11 is destroyed at the end of a thread.
// explore: safe
// native: same
#include <assert.h>
#include <threads.h>

tss_t key;
int destroyed;

void destroy(void *value) {
    destroyed += *(int *)value;
}

int worker(void *arg) {
    tss_set(key, arg);
    return tss_get(key) != arg;
}

int main(void) {
    thrd_t t;
    int value = 2, result = 1;
    tss_create(&key, destroy);
    thrd_create(&t, worker, &value);
    thrd_join(t, &result);
    assert(result == 0);
    assert(destroyed == 2);
    return 0;
}
