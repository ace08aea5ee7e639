// Threads write into an object that one creates and all share: who comes last decides. Joining the first before the others
// start makes the outcome certain.
// check: assertion,null,use-after-free
// case: bug
// explore: bug assertion:@last
// case: safe
// cflags: -DIN_TURN
// explore: safe
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

char *shared;

void *creator(void *arg) {
    shared = malloc(1);
    *shared = 'n';
    return 0;
}

void *write_x(void *arg) {
    *shared = 'x';
    return 0;
}

void *write_y(void *arg) {
    *shared = 'y';
    return 0;
}

int main(void) {
    pthread_t c, a[2], b;
    pthread_create(&c, 0, creator, 0);
    pthread_join(c, 0);
    pthread_create(&b, 0, write_y, 0);
#ifdef IN_TURN
    pthread_join(b, 0);
#endif
    for (int i = 0; i < 2; i++)
        pthread_create(&a[i], 0, write_x, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(a[i], 0);
#ifndef IN_TURN
    pthread_join(b, 0);
#endif
    assert(*shared == 'x'); // @last
    free(shared);
    return 0;
}
