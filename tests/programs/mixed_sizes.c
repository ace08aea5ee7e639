// A word is read while its bytes are written one by one.
// explore: bug assertion:22
// check: assertion
#include <assert.h>
#include <pthread.h>

union {
    unsigned word;
    unsigned char byte[4];
} u;

void *writer(void *arg) {
    u.byte[0] = 0xff;
    u.byte[1] = 0xff;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    unsigned seen = u.word;
    assert(seen != 0x00ff);
    pthread_join(t, 0);
    return 0;
}
