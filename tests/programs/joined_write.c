// After a branch that writes or does not, one reads what was written, or what was there before.
// check: assertion
// explore: bug assertion:24
#include <assert.h>
#include <ordain.h>
#include <pthread.h>
#include <stdatomic.h>

_Atomic int x = 3;

void *other(void *arg) {
    x = 4;
    return 0;
}

int main(void) {
    int i;
    ordain_input(&i, sizeof i, "i");
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    if (i != 7)
        x = 5;
    int seen = x;
    assert(seen != 3);
    pthread_join(t, 0);
    return 0;
}
