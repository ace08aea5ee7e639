// Threads of C11 are those of POSIX.
// explore: safe
// native: same
#include <assert.h>
#include <threads.h>

mtx_t l;
cnd_t changed;
once_flag once = ONCE_FLAG_INIT;
int ready;

void initialise(void) {
    mtx_init(&l, mtx_plain);
    cnd_init(&changed);
}

int producer(void *arg) {
    call_once(&once, initialise);
    mtx_lock(&l);
    ready = 1;
    cnd_signal(&changed);
    mtx_unlock(&l);
    return 7;
}

int main(void) {
    thrd_t t;
    int result = 0;
    call_once(&once, initialise);
    thrd_create(&t, producer, 0);
    mtx_lock(&l);
    while (!ready)
        cnd_wait(&changed, &l);
    assert(ready);
    mtx_unlock(&l);
    assert(thrd_join(t, &result) == thrd_success);
    assert(result == 7);
    return 0;
}
