// The family M_k: the error needs i == 3, j == 2, all K extra inputs, and one of few schedules. Path classes are a
// product over the threads (6 * 2^K + 4); the runs that explore needs are only a sum.
// explore: bug assertion:73
// check: assertion
// case: k0
// cflags: -DK=0
// runs: <= 16
// case: k3
// cflags: -DK=3
// runs: <= 28
// case: k6
// cflags: -DK=6
// runs: <= 40
// case: k9
// cflags: -DK=9
// runs: <= 52
// case: k0-paths
// cflags: -DK=0
// paths: 10
// case: k1-paths
// cflags: -DK=1
// paths: 16
// case: k2-paths
// cflags: -DK=2
// paths: 28
// case: k3-paths
// cflags: -DK=3
// paths: 52
// case: k4-paths
// cflags: -DK=4
// paths: 100
// case: k5-paths
// cflags: -DK=5
// paths: 196
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

int x, y;
pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;

void *first(void *arg) {
    int i;
    ordain_input(&i, sizeof i, "i");
    x = 2;
    y = 5;
    if (i == 3) {
        x++;
        pthread_mutex_lock(&l);
        y--;
        pthread_mutex_unlock(&l);
    }
    return 0;
}

void *second(void *arg) {
    int j;
    ordain_input(&j, sizeof j, "j");
    x = 100;
    for (int n = 0; n < 2 && j > n; n++) {
        pthread_mutex_lock(&l);
        y++;
        pthread_mutex_unlock(&l);
    }
    return 0;
}

void *third(void *arg) {
    x = 5;
    y = 0;
    if (x == 101 + K)
        if (y == 2)
            assert(!"reached");
    return 0;
}

void *extra(void *arg) {
    int k;
    ordain_input(&k, sizeof k, "k");
    if (k == 10)
        x++;
    return 0;
}

int main(void) {
    pthread_t t[3 + K];
    pthread_create(&t[0], 0, first, 0);
    pthread_create(&t[1], 0, second, 0);
    pthread_create(&t[2], 0, third, 0);
    for (int k = 0; k < K; k++)
        pthread_create(&t[3 + k], 0, extra, 0);
    for (int k = 0; k < 3 + K; k++)
        pthread_join(t[k], 0);
    return 0;
}
