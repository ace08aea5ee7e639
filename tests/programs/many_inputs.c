// Ten input branches in main before the thread is created: the thread's tree is the same for all of them.
// case: safe
// cflags: -DWRONG=11
// explore: safe
// runs: <= 20
// case: bug
// cflags: -DWRONG=4
// explore: bug assertion:17
// runs: <= 20
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

int n;

void *worker(void *arg) {
    assert(n != WRONG);
    return 0;
}

int main(void) {
    for (int k = 0; k < 10; k++) {
        int i;
        ordain_input(&i, sizeof i, "i");
        if (i > k)
            n++;
    }
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    return 0;
}
