// Writes that have only their upper bytes in common are ordered as well.
// check: assertion
// explore: safe
#include <assert.h>
#include <pthread.h>

union {
    int whole;
    short half[2];
} u;

void *reader(void *arg) {
    u.half[1] = 2;
    short first = *(volatile short *)&u.half[1];
    short second = *(volatile short *)&u.half[1];
    assert(first == 1 || first == 2);
    assert(first == 2 || second == 1);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, reader, 0);
    u.whole = 0x10001;
    pthread_join(t, 0);
    return 0;
}
