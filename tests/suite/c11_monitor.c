// A monitor with the threads of C11: one slot, one who fills it with an input, one who empties it. The faulty one fills it without
// waiting.
// case: safe
// cflags: -DN=2
// explore: safe
// case: bug
// cflags: -DN=2 -DNO_WAIT
// explore: bug assertion:@room
#include <assert.h>
#include <ordain.h>
#include <threads.h>

mtx_t lock;
cnd_t changed;
int full, slot, sum;

int fill(void *arg) {
    for (int i = 0; i < N; i++) {
        int value;
        ordain_input(&value, sizeof value, "value");
        mtx_lock(&lock);
#ifndef NO_WAIT
        while (full)
            cnd_wait(&changed, &lock);
#endif
        assert(!full); // @room
        slot = value;
        sum ^= value;
        full = 1;
        cnd_signal(&changed);
        mtx_unlock(&lock);
    }
    return 0;
}

int empty(void *arg) {
    for (int i = 0; i < N; i++) {
        mtx_lock(&lock);
        while (!full)
            cnd_wait(&changed, &lock);
        sum ^= slot;
        full = 0;
        cnd_signal(&changed);
        mtx_unlock(&lock);
    }
    return 0;
}

int main(void) {
    thrd_t a, b;
    mtx_init(&lock, mtx_plain);
    cnd_init(&changed);
    thrd_create(&a, fill, 0);
    thrd_create(&b, empty, 0);
    thrd_join(a, 0);
    thrd_join(b, 0);
    assert(sum == 0);
    return 0;
}
