// As mixed_sizes, with a value that no prefix of the writes gives.
// explore: safe
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
    assert(seen != 0xff00);
    pthread_join(t, 0);
    return 0;
}
