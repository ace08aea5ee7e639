// Burns and Lynch: one bit per thread. Whoever has the higher number gives way to the lower and then waits; the lower waits
// for the higher to be gone. The faulty higher one does not look again after it has raised its flag.
// case: safe
// explore: safe
// case: bug
// check: assertion
// cflags: -DHASTY
// explore: bug assertion:@alone
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag[2];
int inside;

void critical(void) {
    inside++;
    assert(inside == 1); // @alone
    inside--;
}

void *low(void *arg) {
    flag[0] = 1;
    while (flag[1]) {
    }
    critical();
    flag[0] = 0;
    return 0;
}

void *high(void *arg) {
    for (;;) {
        flag[1] = 0;
        while (flag[0]) {
        }
        flag[1] = 1;
#ifdef HASTY
        break;
#else
        if (!flag[0])
            break;
#endif
    }
    critical();
    flag[1] = 0;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, low, 0);
    pthread_create(&b, 0, high, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
