// The side of the first branch that leads to the error is not the one that a first run takes, and shows a second branch.
// explore: bug assertion:24
// check: assertion
// paths: 4
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

int x;

void *first(void *arg) {
    int i, j;
    ordain_input(&i, sizeof i, "i");
    ordain_input(&j, sizeof j, "j");
    if (i > 0)
        x = 1;
    else if (j > 0)
        x = 2;
    return 0;
}

void *second(void *arg) {
    if (x == 2)
        assert(!"reached");
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
