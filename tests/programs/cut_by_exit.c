// A thread that has nothing to do with the error ends the process; the error needs it to be late.
// explore: bug assertion:21
// check: assertion
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int x;

void *quitter(void *arg) {
    exit(0);
}

void *writer(void *arg) {
    x = 2;
    return 0;
}

void *reader(void *arg) {
    if (x == 2)
        assert(!"reached");
    return 0;
}

int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], 0, quitter, 0);
    pthread_create(&t[1], 0, writer, 0);
    pthread_create(&t[2], 0, reader, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return 0;
}
