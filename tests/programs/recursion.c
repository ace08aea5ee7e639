// Local recursion with a depth from outside.
// explore: bug assertion:25
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

int result;

int sum(int n) {
    return n <= 0 ? 0 : n + sum(n - 1);
}

void *worker(void *arg) {
    int n;
    ordain_input(&n, sizeof n, "n");
    if (n <= 4)
        result = sum(n);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    assert(result != 6);
    return 0;
}
