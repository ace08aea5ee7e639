// Each thread branches on what the other wrote; only one of the four combinations cannot happen.
// explore: safe
// check: assertion
// paths: 3
#include <pthread.h>

int x, y;

void *first(void *arg) {
    if (y == 1)
        x = 1;
    else
        x = 2;
    return 0;
}

void *second(void *arg) {
    if (x == 2)
        y = 2;
    else
        y = 1;
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
