// Two inputs flow into x; the error needs one of them to be large, and T3 to look before it is overwritten.
// explore: bug assertion:29
// check: assertion
// paths: 2
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

int x, y;

void *first(void *arg) {
    int i;
    ordain_input(&i, sizeof i, "i");
    x = i;
    x = 2;
    return 0;
}

void *second(void *arg) {
    int j;
    ordain_input(&j, sizeof j, "j");
    x = j;
    x = 4;
    return 0;
}

void *third(void *arg) {
    if (x >= 100)
        assert(!"reached");
    else
        y = 2;
    return 0;
}

int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], 0, first, 0);
    pthread_create(&t[1], 0, second, 0);
    pthread_create(&t[2], 0, third, 0);
    for (int k = 0; k < 3; k++)
        pthread_join(t[k], 0);
    return 0;
}
