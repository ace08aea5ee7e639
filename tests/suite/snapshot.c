// Two registers with sequence numbers; who reads both reads again until nothing has changed. The faulty reader takes the
// first look for a snapshot: it may have the second's new value without the first's.
// check: assertion,hang
// case: safe
// explore: safe
// case: bug
// cflags: -DONE_LOOK
// explore: bug assertion:@snapshot
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int first, second;

void *writer(void *arg) {
    // The first is never behind the second.
    for (int i = 1; i <= 2; i++) {
        first = i;
        second = i;
    }
    return 0;
}

void *reader(void *arg) {
    int a = first, b = second;
#ifndef ONE_LOOK
    for (;;) {
        int c = first, d = second;
        if (a == c && b == d)
            break;
        a = c;
        b = d;
    }
#endif
    assert(a >= b); // @snapshot
    return 0;
}

int main(void) {
    pthread_t w, r;
    pthread_create(&w, 0, writer, 0);
    pthread_create(&r, 0, reader, 0);
    pthread_join(w, 0);
    pthread_join(r, 0);
    return 0;
}
